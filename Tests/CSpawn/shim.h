// What glibc 2.36 has in fcntl.h, spawn.h, string.h and unistd.h, and shows to GNU programs only. scripts/declarations compares it.
#pragma once
#include <spawn.h>

int pipe2(int ends[2], int flags);
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
void *memmem(const void *hay, size_t haySize, const void *needle, size_t needleSize);
