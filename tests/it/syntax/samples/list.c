#include <stdlib.h>

#define CAPACITY 16
#define MAX(a, b) \
    ((a) > (b) ? (a) : (b))

/* A node. */
struct node {
    struct node *next;
    int value;
};

typedef struct list {
    struct node *head;
    size_t length;
} list_t;

typedef int (*compare_fn)(const void *, const void *);

enum color { RED, GREEN };

static const char *const names[] = { "red", "green" };
static int counter = 0, *cursor;

int list_length(const list_t *list);

/**
 * Adds a value.
 */
static struct node *list_add(list_t *list, int value)
{
    struct node *added = malloc(sizeof *added);
    if (!added)
        return NULL;

    added->value = value;
    added->next = list->head;
    list->head = added;
    return added;
}

// Returns a function.
int (*choose(int kind))(const void *, const void *)
{
    return kind ? 0 : 0;
}

#ifdef DEBUG
void list_dump(const list_t *list) { (void)list; }
#endif
