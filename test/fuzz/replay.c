/* Runs a fuzz target over files and folders of inputs, without a fuzzer: the seed corpus and every
 * input that once failed become ordinary tests, with any compiler. */
#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

/* Runs the target over one file, given in a heap block of its exact size, so that a sanitizer sees
 * a read past its end. Returns false where the file cannot be read. */
static bool replay_file(const char* path) {
  FILE* file = fopen(path, "rb");
  if (!file) return false;
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  rewind(file);
  uint8_t* data = size >= 0 ? malloc(size > 0 ? (size_t)size : 1) : NULL;
  bool is_whole = data && fread(data, 1, (size_t)size, file) == (size_t)size;
  fclose(file);
  if (is_whole) LLVMFuzzerTestOneInput(data, (size_t)size);
  free(data);
  return is_whole;
}

/* Returns the number of files replayed, or -1. */
static int replay_folder(const char* folder) {
  DIR* entries = opendir(folder);
  if (!entries) return -1;
  int count = 0;
  for (struct dirent* entry; count >= 0 && (entry = readdir(entries));) {
    if (entry->d_name[0] == '.') continue;
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    count = replay_file(path) ? count + 1 : -1;
  }
  closedir(entries);
  return count;
}

int main(int argc, char** argv) {
  int count = argc == 2 ? replay_folder(argv[1]) : -1;
  printf("%d inputs replayed\n", count);
  return count > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
