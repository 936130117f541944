# Writes a file as a C array NAME with its size NAME_size, as a header declares them:
# cmake -DINPUT=page.html -DOUTPUT=page.c -DNAME=cr_html_page -DHEADER=html/page.h -P cmake/Embed.cmake
file(READ "${INPUT}" bytes HEX)
string(LENGTH "${bytes}" digits)
math(EXPR size "${digits} / 2")
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)"
  "\\1\n" bytes "${bytes}")
file(WRITE "${OUTPUT}" "#include \"${HEADER}\"\n\n"
  "const size_t ${NAME}_size = ${size};\nconst unsigned char ${NAME}[] = {\n${bytes}0};\n")
