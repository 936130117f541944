// The connection to the simulation: it opens anew by itself when it is lost.

const FIRST_WAIT = 0.25, LONGEST_WAIT = 5; // s

export class Link {
  // `on` has frame(buffer), state(object), error(text), change(isOpen).
  constructor(on) {
    this.on = on;
    this.wait = FIRST_WAIT;
    this.isOpen = false;
    this.open();
  }

  open() {
    const url = new URL(location.href);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    url.pathname = "/live";
    url.hash = "";
    this.socket = new WebSocket(url);
    this.socket.binaryType = "arraybuffer";
    this.socket.addEventListener("open", () => {
      this.wait = FIRST_WAIT;
      this.change(true);
    });
    this.socket.addEventListener("message", ({ data }) => this.hear(data));
    this.socket.addEventListener("close", () => {
      this.change(false);
      setTimeout(() => this.open(), 1000 * this.wait);
      this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
    });
  }

  change(isOpen) {
    this.isOpen = isOpen;
    this.on.change(isOpen);
  }

  hear(data) {
    if (data instanceof ArrayBuffer) return this.on.frame(data);
    const message = JSON.parse(data);
    return message.is === "state" ? this.on.state(message) : this.on.error(message.text);
  }

  // What is closing is no longer open, though its end is not heard of yet.
  send(message) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }
}
