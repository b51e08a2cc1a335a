/* A ring buffer of bytes for one reader and one writer. */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define RING_MAX (1u << 20)
#define MIN(a, b) ((a) < (b) ? (a) : (b))

#ifdef RING_TRACE
static void trace(const char *what, size_t count)
{
    fprintf(stderr, "%s %zu\n", what, count);
}
#endif

/* Positions count all bytes that ever passed. */
struct ring {
    unsigned char *bytes;
    size_t size;
    size_t head, tail;
};

typedef struct ring ring_t;

typedef int (*ring_sink)(const unsigned char *bytes, size_t count, void *context);

enum ring_state {
    RING_EMPTY,
    RING_PARTLY,
    RING_FULL,
};

union word {
    unsigned long value;
    unsigned char bytes[sizeof(unsigned long)];
};

static const char *const names[] = { "empty", "partly", "full" };

static int created = 0;

size_t ring_used(const ring_t *ring);

/* Creates a ring. The size must be a power of two. */
ring_t *ring_new(size_t size)
{
    if (size == 0 || (size & (size - 1)) != 0 || size > RING_MAX) {
        errno = EINVAL;
        return NULL;
    }
    ring_t *ring = calloc(1, sizeof *ring);
    if (!ring)
        return NULL;
    ring->bytes = malloc(size);
    if (!ring->bytes) {
        free(ring);
        return NULL;
    }
    ring->size = size;
    created++;
    return ring;
}

void ring_free(ring_t *ring)
{
    if (ring)
        free(ring->bytes);
    free(ring);
}

size_t ring_used(const ring_t *ring)
{
    return ring->head - ring->tail;
}

static inline bool is_full(const ring_t *ring)
{
    return ring_used(ring) == ring->size;
}

enum ring_state ring_state(const ring_t *ring)
{
    if (is_full(ring))
        return RING_FULL;
    return ring_used(ring) ? RING_PARTLY : RING_EMPTY;
}

const char *ring_state_name(const ring_t *ring)
{
    return names[ring_state(ring)];
}

/* Returns the number of bytes that had room. */
size_t ring_write(ring_t *ring, const void *from, size_t count)
{
    const unsigned char *bytes = from;
    size_t room = ring->size - ring_used(ring), done = 0;

    count = MIN(count, room);
    while (done < count) {
        size_t at = (ring->head + done) & (ring->size - 1);
        size_t part = MIN(count - done, ring->size - at);
        memcpy(ring->bytes + at, bytes + done, part);
        done += part;
    }
    ring->head += done;
    return done;
}

int ring_drain(ring_t *ring, ring_sink sink, void *context)
{
    for (; ring_used(ring); ring->tail++) {
        int error = sink(&ring->bytes[ring->tail & (ring->size - 1)], 1, context);
        if (error)
            return error;
    }
    return 0;
}
