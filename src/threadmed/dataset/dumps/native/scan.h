/* What a scanner is asked for, and what it gives; threadmed.dataset.dumps.scanner and
   threadmed.dataset.dumps.layout say the same to Python. */
#ifndef THREADMED_SCAN_H
#define THREADMED_SCAN_H

#include <stdint.h>

typedef struct Scanner Scanner;

/* What a scanner is told once, before the first block. */
typedef struct {
    int64_t parts;
    int64_t window_start, window_end;
    int64_t least_words;
    int64_t are_posts; /* else comments */
    int64_t is_any_post_wanted;
} Settings;

typedef struct {
    int64_t lines;     /* all, the odd ones too */
    int64_t breaks;
    int64_t returns;   /* lines that end in a carriage return, and the first of them */
    int64_t first_return;
    int64_t taken;     /* records that are in the parts now */
    int64_t elsewhere; /* of another subreddit, or under a post that is not wanted */
    int64_t passed;    /* posts that are none of those that are wanted */
    int64_t odd;       /* lines that are to be read by the long way */
    int64_t held;      /* bytes in all parts */
} Tally;

typedef struct {
    int64_t number; /* of the line in its block, from 1 */
    int64_t start, end;
} OddLine;

/* A comment that was taken, beside its record. */
typedef struct {
    uint64_t post, id, parent; /* parent is 0 for a reply to the post */
    uint32_t size;             /* bytes of its record */
    uint32_t flair;            /* 0 for none, else its number among the flairs */
    uint32_t flags;
    uint32_t unused; /* to a multiple of eight, as numpy reads it */
} CommentRow;

enum {
    COMMENT_DELETED = 1,
    COMMENT_REMOVED = 2,
    COMMENT_NOTICE = 4,
    COMMENT_EDITED = 8,
    COMMENT_PATIENT = 16,
    COMMENT_OTHER_NAME = 32, /* the patient's, by another name than the post's */
    COMMENT_NAMELESS = 64,
    COMMENT_BOT = 128,
    COMMENT_WORDS = 256, /* surely has words once it is cleaned */
};

/* A post that was taken, beside its record. */
typedef struct {
    uint64_t id;
    int64_t created;
    uint32_t size;
    uint32_t flags;
    uint32_t loss; /* 0 for none, else its number among the losses */
    uint32_t unused;
} PostRow;

enum {
    POST_PLAIN = 1, /* surely of use */
    POST_EDITED = 2,
    POST_BOT = 4,
    POST_NOTICE = 8,
    POST_NAMELESS = 16,
};

#endif
