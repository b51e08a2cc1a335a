/* Reads the sections of an archive and keeps an index of their members.  */

#include "config.h"
#include "archive.h"
#include "xalloc.h"

static struct member *first_member;
static size_t member_count;

/* Return the member called NAME, or NULL if the archive has none.  */

struct member *
find_member (const char *name)
{
  struct member *m;

  for (m = first_member; m != NULL; m = m->next)
    {
      if (m->deleted)
	continue;
      if (strcmp (m->name, name) == 0)
	{
	  m->last_used = current_tick ();
	  return m;
	}
    }
  return NULL;
}

/* Parse a header of LENGTH bytes.  Return zero if it is damaged.  */

int
parse_header (const unsigned char *bytes, size_t length)
{
  size_t offset = 0;
  int version = -1;

  if (length < HEADER_SIZE)
    return 0;
  while (offset < length)
    {
      unsigned int tag = read_be16 (bytes + offset);
      unsigned int size = read_be16 (bytes + offset + 2);

      switch (tag)
	{
	case TAG_VERSION:
	  version = bytes[offset + 4];
	  if (version > MAX_VERSION)
	    {
	      warning (_("archive of version %d is too new"), version);
	      if (!force_flag)
		{
		  close_archive ();
		  return 0;
		}
	    }
	  break;

	case TAG_COMMENT:
	  free (archive_comment);
	  archive_comment = xmemdup (bytes + offset + 4, size);
	  break;

	default:
	  if (verbose_flag)
	    fprintf (stderr, _("tag %u skipped\n"), tag);
	  unknown_tags++;
	  break;
	}
      offset += 4 + size;
    }
  return version >= 0;
}

/* Write all members that were touched since the last call.  */

void
flush_members (FILE *out)
{
  struct member *m;
  size_t written = 0;

  for (m = first_member; m; m = m->next)
    if (m->dirty)
      {
	size_t n = fwrite (m->data, 1, m->size, out);

	if (n != m->size)
	  {
	    error (0, errno, _("cannot write %s"), m->name);
	    exit_status = EXIT_FAILURE;
	    return;
	  }
	m->dirty = 0;
	written += n;
      }
  if (written > 0 && fflush (out) != 0)
    die (EXIT_FAILURE, errno, _("write error"));
}

static int
compare_members (const void *left, const void *right)
{
  const struct member *a = *(const struct member *const *) left;
  const struct member *b = *(const struct member *const *) right;

  if (a->size != b->size)
    return a->size < b->size ? -1 : 1;
  return strcmp (a->name, b->name);
}
