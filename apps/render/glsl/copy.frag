// A pass as it is, to be added to the others.
in vec2 v_at;
uniform sampler2D u_picture;
out vec4 colour;

void main() { colour = texture(u_picture, v_at); }
