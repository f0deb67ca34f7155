/*
 * Preloaded below one process (LD_PRELOAD): writes down every change below one folder, and every synchronisation, in the order in which they
 * were made. PARLEY_CUT_ROOT: the folder. PARLEY_CUT_LOG: the recording. PARLEY_CUT_NOTES: a file whose writes are notes of the workload in
 * the same order. PARLEY_CUT_LIFE: kills the process after so many records. PARLEY_CUT_NO_SYNC: synchronising does nothing, and is not written down: with it the bench must find losses.
 * What it cannot follow (copies within the kernel, preallocation) is written down as such, and fails the bench.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define MOST_FDS 65536
#define MAGIC 0x31545543u /* "CUT1" */

/* Little-endian, as this machine is; recording.ts reads the same. */
struct head {
  uint32_t magic;
  char kind;
  uint8_t pad;
  uint16_t path_bytes;
  uint16_t other_bytes;
  uint16_t pad2;
  uint32_t data_bytes;
  uint64_t inode;
  uint64_t offset;
};

enum { PLAIN = 0, UNDER_ROOT = 1, NOTES = 2 };

static unsigned char tracked[MOST_FDS];
static uint64_t tracked_inode[MOST_FDS], tracked_device[MOST_FDS];
static char root[PATH_MAX], notes[PATH_MAX];
static size_t root_bytes;
static int log_fd = -1, no_sync;
static long left_to_live;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

#define REAL(name) ((__typeof__(&name))real(#name))

static void *real(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (found == NULL) {
    static const char said[] = "recorder: a function of the C library is not there\n";
    syscall(SYS_write, 2, said, sizeof said - 1);
    _exit(97);
  }
  return found;
}

__attribute__((constructor)) static void begin(void) {
  const char *folder = getenv("PARLEY_CUT_ROOT"), *path = getenv("PARLEY_CUT_LOG"), *said = getenv("PARLEY_CUT_NOTES");
  if (folder == NULL || path == NULL) return;
  snprintf(root, sizeof root, "%s", folder);
  root_bytes = strlen(root);
  if (said != NULL) snprintf(notes, sizeof notes, "%s", said);
  no_sync = getenv("PARLEY_CUT_NO_SYNC") != NULL;
  left_to_live = getenv("PARLEY_CUT_LIFE") == NULL ? 0 : atol(getenv("PARLEY_CUT_LIFE"));
  /* Far from the numbers that a program uses: some close what they did not open. */
  int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  log_fd = fd < 0 ? -1 : (int)syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, MOST_FDS > 900 ? 900 : 3);
  if (fd >= 0) syscall(SYS_close, fd);
  if (log_fd < 0) _exit(98);
}

/* Programs that this one starts write to the same recording: the file's lock keeps their records apart. */
static void lock(void) {
  pthread_mutex_lock(&mutex);
  syscall(SYS_flock, log_fd, LOCK_EX);
}

static void unlock(void) {
  int kept = errno;
  syscall(SYS_flock, log_fd, LOCK_UN);
  pthread_mutex_unlock(&mutex);
  errno = kept;
}

static void put(const struct iovec *parts, int count, size_t total) {
  ssize_t done = syscall(SYS_writev, log_fd, parts, count);
  if (done != (ssize_t)total) {
    static const char said[] = "recorder: the recording cannot be written\n";
    syscall(SYS_write, 2, said, sizeof said - 1);
    _exit(99);
  }
}

static void record(char kind, uint64_t inode, uint64_t offset, const char *path, const char *other, const void *data,
                   size_t bytes) {
  int kept = errno;
  struct head head = {.magic = MAGIC, .kind = kind, .inode = inode, .offset = offset, .data_bytes = (uint32_t)bytes};
  head.path_bytes = path == NULL ? 0 : (uint16_t)strlen(path);
  head.other_bytes = other == NULL ? 0 : (uint16_t)strlen(other);
  struct iovec parts[4] = {{&head, sizeof head},
                           {(void *)path, head.path_bytes},
                           {(void *)other, head.other_bytes},
                           {(void *)data, bytes}};
  put(parts, 4, sizeof head + head.path_bytes + head.other_bytes + bytes);
  /* Here, and not from outside: no change is ever made and not written down. */
  if (left_to_live > 0 && --left_to_live == 0) {
    syscall(SYS_kill, getpid(), SIGKILL);
    for (;;) pause();
  }
  errno = kept;
}

static int under_root(const char *path) {
  return root_bytes > 0 && path != NULL && strncmp(path, root, root_bytes) == 0 &&
         (path[root_bytes] == '/' || path[root_bytes] == 0);
}

/* A path below the folder, absolute, without "." and "..": the name itself is not followed. */
static int placed(int at, const char *path, char *out) {
  char whole[PATH_MAX * 2];
  if (root_bytes == 0 || path == NULL) return 0;
  if (path[0] == '/') {
    snprintf(whole, sizeof whole, "%s", path);
  } else {
    char folder[PATH_MAX], link[64];
    ssize_t got;
    if (at == AT_FDCWD) snprintf(link, sizeof link, "/proc/self/cwd");
    else snprintf(link, sizeof link, "/proc/self/fd/%d", at);
    got = readlink(link, folder, sizeof folder - 1);
    if (got < 0) return 0;
    folder[got] = 0;
    snprintf(whole, sizeof whole, "%s/%s", folder, path);
  }
  size_t used = 0;
  char *rest = NULL;
  for (char *part = strtok_r(whole, "/", &rest); part != NULL; part = strtok_r(NULL, "/", &rest)) {
    if (strcmp(part, ".") == 0) continue;
    if (strcmp(part, "..") == 0) {
      while (used > 0 && out[--used] != '/');
      continue;
    }
    if (used + strlen(part) + 2 > PATH_MAX) return 0;
    out[used++] = '/';
    memcpy(out + used, part, strlen(part));
    used += strlen(part);
  }
  out[used] = 0;
  return under_root(out) || (notes[0] != 0 && strcmp(out, notes) == 0);
}

/* libuv closes by a system call of its own, which is not seen here: the number may be another file's by now. */
static int is_tracked(int fd) {
  struct stat status;
  if (fd < 0 || fd >= MOST_FDS || tracked[fd] == PLAIN) return PLAIN;
  int kept = errno;
  int is_same = fstat(fd, &status) == 0 && status.st_ino == tracked_inode[fd] && status.st_dev == tracked_device[fd];
  errno = kept;
  if (!is_same) tracked[fd] = PLAIN;
  return tracked[fd];
}

static void track(int fd, unsigned char kind) {
  struct stat status;
  if (fd < 0 || fd >= MOST_FDS) return;
  int is_known = kind != PLAIN && fstat(fd, &status) == 0;
  tracked_inode[fd] = is_known ? status.st_ino : 0;
  tracked_device[fd] = is_known ? status.st_dev : 0;
  tracked[fd] = is_known ? kind : PLAIN;
}

static uint64_t inode_of(int fd) {
  struct stat status;
  return fstat(fd, &status) == 0 ? status.st_ino : 0;
}

static int open_at(int at, const char *path, int flags, mode_t mode) {
  char whole[PATH_MAX];
  __typeof__(&openat) call = REAL(openat);
  if (log_fd < 0 || !placed(at, path, whole)) {
    int fd = call(at, path, flags, mode);
    track(fd, PLAIN);
    return fd;
  }
  lock();
  int fd = call(at, path, flags, mode);
  if (fd >= 0 && fd < MOST_FDS) {
    int is_note = notes[0] != 0 && strcmp(whole, notes) == 0;
    track(fd, is_note ? NOTES : UNDER_ROOT);
    if (!is_note && (flags & (O_WRONLY | O_RDWR | O_CREAT)) != 0)
      record((flags & O_TRUNC) != 0 ? 'C' : 'O', inode_of(fd), 0, whole, NULL, NULL, 0);
    if (!is_note && (flags & __O_TMPFILE) == __O_TMPFILE) record('X', 0, 0, "O_TMPFILE", NULL, NULL, 0);
  }
  unlock();
  return fd;
}

#define MODE_OF(flags, mode)                                             \
  mode_t mode = 0;                                                       \
  if (((flags) & O_CREAT) != 0 || ((flags) & __O_TMPFILE) == __O_TMPFILE) { \
    va_list rest;                                                        \
    va_start(rest, flags);                                               \
    mode = va_arg(rest, mode_t);                                         \
    va_end(rest);                                                        \
  }

int open(const char *path, int flags, ...) { MODE_OF(flags, mode) return open_at(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE_OF(flags, mode) return open_at(AT_FDCWD, path, flags, mode); }
int openat(int at, const char *path, int flags, ...);
int openat64(int at, const char *path, int flags, ...) { MODE_OF(flags, mode) return open_at(at, path, flags, mode); }
int openat(int at, const char *path, int flags, ...) { MODE_OF(flags, mode) return open_at(at, path, flags, mode); }
int creat(const char *path, mode_t mode) { return open_at(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode); }
int creat64(const char *path, mode_t mode) { return open_at(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode); }

int close(int fd) {
  if (fd == log_fd && fd >= 0) return 0;
  track(fd, PLAIN);
  return REAL(close)(fd);
}

static int doubled(int from, int to) {
  track(to, (unsigned char)is_tracked(from));
  return to;
}
int dup(int fd) { return doubled(fd, REAL(dup)(fd)); }
int dup2(int fd, int to) { return doubled(fd, REAL(dup2)(fd, to)); }
int dup3(int fd, int to, int flags) { return doubled(fd, REAL(dup3)(fd, to, flags)); }

/* `at`: where it was written; of a write at the file's own place, the place behind it is asked for. */
static void wrote(int fd, const struct iovec *parts, int count, ssize_t done, int64_t at) {
  size_t left = (size_t)done;
  if (is_tracked(fd) == UNDER_ROOT && at < 0) at = lseek(fd, 0, SEEK_CUR) - done;
  for (int index = 0; index < count && left > 0; index++) {
    size_t bytes = parts[index].iov_len < left ? parts[index].iov_len : left;
    if (is_tracked(fd) == NOTES) record('N', 0, 0, NULL, NULL, parts[index].iov_base, bytes);
    else record('W', inode_of(fd), (uint64_t)at, NULL, NULL, parts[index].iov_base, bytes);
    at += (int64_t)bytes;
    left -= bytes;
  }
}

#define WRITING(call, parts, count, at)                \
  if (!is_tracked(fd)) return call;                    \
  lock();                                              \
  ssize_t done = call;                                 \
  if (done > 0) wrote(fd, parts, count, done, at);     \
  unlock();                                            \
  return done;

ssize_t write(int fd, const void *data, size_t bytes) {
  struct iovec part = {(void *)data, bytes};
  WRITING(REAL(write)(fd, data, bytes), &part, 1, -1)
}
ssize_t pwrite(int fd, const void *data, size_t bytes, off_t at) {
  struct iovec part = {(void *)data, bytes};
  WRITING(REAL(pwrite)(fd, data, bytes, at), &part, 1, at)
}
ssize_t pwrite64(int fd, const void *data, size_t bytes, off64_t at) {
  struct iovec part = {(void *)data, bytes};
  WRITING(REAL(pwrite64)(fd, data, bytes, at), &part, 1, at)
}
ssize_t writev(int fd, const struct iovec *parts, int count) { WRITING(REAL(writev)(fd, parts, count), parts, count, -1) }
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) {
  WRITING(REAL(pwritev)(fd, parts, count, at), parts, count, at)
}
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t at) {
  WRITING(REAL(pwritev64)(fd, parts, count, at), parts, count, at)
}
ssize_t pwritev2(int fd, const struct iovec *parts, int count, off_t at, int flags) {
  WRITING(REAL(pwritev2)(fd, parts, count, at, flags), parts, count, at)
}

#define LOCKED(is_seen, call, then)  \
  if (!(is_seen)) return call;       \
  lock();                            \
  int result = call;                 \
  if (result == 0) { then; }         \
  unlock();                          \
  return result;

int ftruncate(int fd, off_t bytes) {
  LOCKED(is_tracked(fd), REAL(ftruncate)(fd, bytes), record('T', inode_of(fd), (uint64_t)bytes, NULL, NULL, NULL, 0))
}
int ftruncate64(int fd, off64_t bytes) {
  LOCKED(is_tracked(fd), REAL(ftruncate64)(fd, bytes), record('T', inode_of(fd), (uint64_t)bytes, NULL, NULL, NULL, 0))
}
static uint64_t inode_at(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 ? status.st_ino : 0;
}
int truncate(const char *path, off_t bytes) {
  char whole[PATH_MAX];
  LOCKED(placed(AT_FDCWD, path, whole), REAL(truncate)(path, bytes), record('T', inode_at(whole), (uint64_t)bytes, NULL, NULL, NULL, 0))
}
int truncate64(const char *path, off64_t bytes) {
  char whole[PATH_MAX];
  LOCKED(placed(AT_FDCWD, path, whole), REAL(truncate64)(path, bytes), record('T', inode_at(whole), (uint64_t)bytes, NULL, NULL, NULL, 0))
}

static int synced(int fd, char kind, int (*call)(int)) {
  if (!is_tracked(fd)) return call(fd);
  if (no_sync) return 0;
  LOCKED(1, call(fd), record(kind, inode_of(fd), 0, NULL, NULL, NULL, 0))
}
int fsync(int fd) { return synced(fd, 'S', REAL(fsync)); }
int fdatasync(int fd) { return synced(fd, 'S', REAL(fdatasync)); }

/* Promises nothing about a file's size or its name, and nothing at all about the disk's own memory: no synchronisation. */
int sync_file_range(int fd, off64_t at, off64_t bytes, unsigned int flags) {
  LOCKED(is_tracked(fd), REAL(sync_file_range)(fd, at, bytes, flags), record('R', inode_of(fd), 0, NULL, NULL, NULL, 0))
}

#define NAMED(at, path, kind, call)                                             \
  char whole[PATH_MAX];                                                         \
  LOCKED(log_fd >= 0 && placed(at, path, whole), call, record(kind, 0, 0, whole, NULL, NULL, 0))

int unlink(const char *path) { NAMED(AT_FDCWD, path, 'U', REAL(unlink)(path)) }
int rmdir(const char *path) { NAMED(AT_FDCWD, path, 'U', REAL(rmdir)(path)) }
int remove(const char *path) { NAMED(AT_FDCWD, path, 'U', REAL(remove)(path)) }
int unlinkat(int at, const char *path, int flags) { NAMED(at, path, 'U', REAL(unlinkat)(at, path, flags)) }
int mkdirat(int at, const char *path, mode_t mode) {
  char whole[PATH_MAX];
  LOCKED(log_fd >= 0 && placed(at, path, whole), REAL(mkdirat)(at, path, mode),
         record('D', inode_at(whole), 0, whole, NULL, NULL, 0))
}
int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

#define TWICE_NAMED(from_at, from, to_at, to, kind, call)                                          \
  char one[PATH_MAX], other[PATH_MAX];                                                             \
  int from_here = log_fd >= 0 && placed(from_at, from, one);                                       \
  int to_here = log_fd >= 0 && placed(to_at, to, other);                                           \
  LOCKED(from_here || to_here, call,                                                               \
         record(from_here && to_here ? kind : 'X', 0, 0, from_here ? one : from, to_here ? other : to, NULL, 0))

int rename(const char *from, const char *to) { TWICE_NAMED(AT_FDCWD, from, AT_FDCWD, to, 'M', REAL(rename)(from, to)) }
int renameat(int from_at, const char *from, int to_at, const char *to) {
  TWICE_NAMED(from_at, from, to_at, to, 'M', REAL(renameat)(from_at, from, to_at, to))
}
int renameat2(int from_at, const char *from, int to_at, const char *to, unsigned int flags) {
  TWICE_NAMED(from_at, from, to_at, to, flags == 0 ? 'M' : 'X', REAL(renameat2)(from_at, from, to_at, to, flags))
}
int link(const char *from, const char *to) { TWICE_NAMED(AT_FDCWD, from, AT_FDCWD, to, 'L', REAL(link)(from, to)) }
int linkat(int from_at, const char *from, int to_at, const char *to, int flags) {
  TWICE_NAMED(from_at, from, to_at, to, 'L', REAL(linkat)(from_at, from, to_at, to, flags))
}
int symlink(const char *from, const char *to) { NAMED(AT_FDCWD, to, 'X', REAL(symlink)(from, to)) }

/* What is changed without passing here as octets cannot be rebuilt. */
#define NOT_FOLLOWED(fd, name, call) LOCKED(is_tracked(fd), call, record('X', 0, 0, name, NULL, NULL, 0))
int fallocate(int fd, int mode, off_t at, off_t bytes) {
  NOT_FOLLOWED(fd, "fallocate", REAL(fallocate)(fd, mode, at, bytes))
}
int fallocate64(int fd, int mode, off64_t at, off64_t bytes) {
  NOT_FOLLOWED(fd, "fallocate", REAL(fallocate64)(fd, mode, at, bytes))
}
int posix_fallocate(int fd, off_t at, off_t bytes) {
  NOT_FOLLOWED(fd, "posix_fallocate", REAL(posix_fallocate)(fd, at, bytes))
}
int posix_fallocate64(int fd, off64_t at, off64_t bytes) {
  NOT_FOLLOWED(fd, "posix_fallocate", REAL(posix_fallocate64)(fd, at, bytes))
}
#define COPY(fd, name, call)                                        \
  ssize_t done = call;                                              \
  if (done > 0 && is_tracked(fd)) {                                 \
    lock();                                                         \
    record('X', 0, 0, name, NULL, NULL, 0);                         \
    unlock();                                                       \
  }                                                                 \
  return done;
ssize_t copy_file_range(int in, off64_t *from, int out, off64_t *to, size_t bytes, unsigned int flags) {
  COPY(out, "copy_file_range", REAL(copy_file_range)(in, from, out, to, bytes, flags))
}
ssize_t sendfile(int out, int in, off_t *from, size_t bytes) { COPY(out, "sendfile", REAL(sendfile)(out, in, from, bytes)) }
ssize_t sendfile64(int out, int in, off64_t *from, size_t bytes) {
  COPY(out, "sendfile", REAL(sendfile64)(out, in, from, bytes))
}
