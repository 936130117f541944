# Headers, libraries, the exported targets carom::carom and carom::carom_static, and carom.pc.
