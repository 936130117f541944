// Depths only.
void main() {}
