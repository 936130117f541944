# Writes a file as a C array: cmake -DINPUT=page.html -DOUTPUT=page.c -P cmake/Embed.cmake
file(READ "${INPUT}" bytes HEX)
string(LENGTH "${bytes}" digits)
math(EXPR size "${digits} / 2")
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)"
  "\\1\n" bytes "${bytes}")
file(WRITE "${OUTPUT}" "#include \"html/page.h\"\n\n"
  "const size_t cr_html_page_size = ${size};\nconst unsigned char cr_html_page[] = {\n${bytes}0};\n")
