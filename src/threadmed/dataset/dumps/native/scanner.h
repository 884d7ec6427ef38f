/* What is known while a dump is scanned, and the parts that its records go to. */
#ifndef THREADMED_SCANNER_H
#define THREADMED_SCANNER_H

#include "fields.h"
#include "object.h"
#include "scan.h"
#include "table.h"

typedef struct {
    Bytes records; /* msgpack: a list, whose head is written when it is fetched */
    Bytes rows;
    int64_t count;
} Part;

/* Author and part of a post that is wanted. */
typedef struct {
    size_t start, size; /* of the author among the names; empty where it is gone */
    int64_t part;
} WantedPost;

struct Scanner {
    int64_t part_count;
    Part *parts;
    Table wanted; /* posts, by id; the value is their place among the posts */
    Bytes posts, names; /* WantedPost */
    Table flairs; /* as written, behind its quotation mark; the value is its number */
    Bytes flair_wanted; /* by number: whether the words of such people are kept */
    Table bots;
    Table categories; /* why a post was removed; the value is the number of its loss */
    Bytes losses;     /* LossName, of those of categories */
    Bytes subreddit;  /* that is asked for, in small letters */
    bool is_any_post_wanted, are_posts;
    int64_t window_start, window_end;
    int least_words;
    bool has_memory;
    Seen objects[2];
    Seen *before, *now; /* of the record before and of this one; they change places */
    Bytes odd; /* OddLine */
    Tally tally;
};

enum { OWN_LOSSES = 3 };

/* A loss as threadmed.dataset.dumps.reddit calls it. */
typedef struct {
    char text[32];
} LossName;

/* What a loss is called; NULL for none. Those of categories come after our own. */
static const char *loss_name(const Scanner *scanner, uint32_t number) {
    if (number < OWN_LOSSES) return LOSSES[number];
    return ((const LossName *)scanner->losses.at)[number - OWN_LOSSES].text;
}

typedef enum { ODD, TAKEN, ELSEWHERE, PASSED } Outcome;

static uint32_t crc_of(const char *at, size_t size) {
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t place = 0; place < size; place++) {
        crc ^= (unsigned char)at[place];
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
    }
    return ~crc;
}

/* The part of a post, as threadmed.dataset.passes.spill has it. */
static int64_t part_of(const Scanner *scanner, const char *id, size_t size) {
    return crc_of(id, size) % scanner->part_count;
}

static bool is_bot(const Scanner *scanner, const Value *author) {
    char low[LONGEST_NAME]; /* no name that was read is longer */
    for (size_t place = 0; place < author->size; place++)
        low[place] = low_of(author->at[place]);
    return find(&scanner->bots, low, author->size) != NULL;
}

/* The records of a part with room for one of so many bytes more, and for its row; NULL
   where there is no memory. */
static Bytes *room_in(Scanner *scanner, int64_t number, size_t size, size_t row) {
    Part *part = &scanner->parts[number];
    if (!part->records.size) size += HEAD;
    scanner->has_memory &= reserve(&part->records, size) && reserve(&part->rows, row);
    if (!scanner->has_memory) return NULL;
    if (!part->records.size) part->records.size = HEAD;
    return &part->records;
}

static void keep_row(Scanner *scanner, int64_t number, const void *row, size_t size) {
    Part *part = &scanner->parts[number];
    put(&part->rows, row, size);
    part->count++;
}

static void put_loss(Bytes *to, const char *loss) {
    if (loss) put_text(to, loss);
    else put_nothing(to);
}

#endif
