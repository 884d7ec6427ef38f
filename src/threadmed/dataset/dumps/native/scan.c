/* Lines of a dump whose records are as nearly all are, taken at the speed of memory.

   What is taken is the same as threadmed.dataset.dumps.reddit makes of a record in
   Python. A line that is of another form in any way, be it only a rare one, is not
   taken but told to the caller, who has it read by the long way: that one decides what
   is right. */
#include "comments.h"
#include "posts.h"

#ifdef _WIN32
#define EXPORTED __declspec(dllexport)
#else
#define EXPORTED __attribute__((visibility("default")))
#endif

/* Raise this and that of threadmed.dataset.dumps.layout whenever a row, a setting or a
   rule changes: a library that was left by another version is not used. */
EXPORTED int scanner_version(void) { return 2; }

EXPORTED void scanner_close(Scanner *scanner) {
    if (!scanner) return;
    for (int64_t number = 0; scanner->parts && number < scanner->part_count; number++) {
        free(scanner->parts[number].records.at);
        free(scanner->parts[number].rows.at);
    }
    free(scanner->parts);
    Table *const tables[] = {&scanner->wanted, &scanner->flairs, &scanner->bots,
                             &scanner->categories};
    for (size_t one = 0; one < sizeof tables / sizeof *tables; one++) drop_table(tables[one]);
    Bytes *const all[] = {&scanner->posts,  &scanner->names,     &scanner->flair_wanted,
                          &scanner->losses, &scanner->subreddit, &scanner->odd};
    for (size_t one = 0; one < sizeof all / sizeof *all; one++) free(all[one]->at);
    free(scanner);
}

/* A scanner that knows nothing yet, or NULL where there is no memory. */
EXPORTED Scanner *scanner_open(const Settings *settings) {
    Scanner *scanner = calloc(1, sizeof *scanner);
    if (!scanner) return NULL;
    scanner->has_memory = true;
    scanner->part_count = settings->parts;
    scanner->window_start = settings->window_start;
    scanner->window_end = settings->window_end;
    scanner->least_words = (int)settings->least_words;
    scanner->is_any_post_wanted = settings->is_any_post_wanted != 0;
    scanner->are_posts = settings->are_posts != 0;
    scanner->parts = calloc((size_t)settings->parts, sizeof(Part));
    if (scanner->parts) return scanner;
    scanner_close(scanner);
    return NULL;
}

static bool append(Bytes *to, const char *from, size_t size) {
    if (!reserve(to, size)) return false;
    put(to, from, size);
    return true;
}

/* Say which subreddit is asked for, in small letters; 0 where there is no memory. */
EXPORTED int scanner_subreddit(Scanner *scanner, const char *name, int64_t size) {
    return append(&scanner->subreddit, name, (size_t)size);
}

/* Add the name of a bot, in small letters; 0 where there is no memory. */
EXPORTED int scanner_bot(Scanner *scanner, const char *name, int64_t size) {
    return set(&scanner->bots, name, (size_t)size, 0);
}

/* Say what a category of removal is called as a loss; 0 where there is no memory. */
EXPORTED int scanner_category(Scanner *scanner, const char *name, int64_t size,
                              const char *loss) {
    LossName written = {0};
    if (strlen(loss) >= sizeof written.text) return 0;
    memcpy(written.text, loss, strlen(loss));
    int64_t number = OWN_LOSSES + (int64_t)(scanner->losses.size / sizeof written);
    return append(&scanner->losses, (const char *)&written, sizeof written) &&
           set(&scanner->categories, name, (size_t)size, number);
}

/* Say of the next flair, in the order of their numbers, whether its words are wanted;
   0 where there is no memory. */
EXPORTED int scanner_flair(Scanner *scanner, int is_wanted) {
    char wanted = is_wanted != 0;
    return append(&scanner->flair_wanted, &wanted, 1);
}

/* All flairs as written, each behind the quotation mark that begins it. */
EXPORTED const char *scanner_flair_texts(const Scanner *scanner, int64_t *size) {
    *size = (int64_t)scanner->flairs.keys.size;
    return scanner->flairs.keys.at;
}

/* Add posts that are wanted: of each its id, a zero, its author and a line break. One
   whose id is no plain one is left out; 0 where there is no memory. */
EXPORTED int scanner_wanted(Scanner *scanner, const char *text, int64_t size) {
    const char *end = text + size;
    while (text < end) {
        const char *zero = memchr(text, 0, (size_t)(end - text));
        const char *stop = zero ? memchr(zero, '\n', (size_t)(end - zero)) : NULL;
        if (!stop) return 0;
        size_t id_size = (size_t)(zero - text), name_size = (size_t)(stop - zero - 1);
        const char *name = zero + 1;
        if (!is_plain_name(name, name_size)) {
            /* No comment that is taken is by such a one. */
            name = "?";
            name_size = 1;
        }
        WantedPost post = {.start = scanner->names.size,
                           .size = name_size,
                           .part = part_of(scanner, text, id_size)};
        int64_t number = (int64_t)(scanner->posts.size / sizeof post);
        if (id_of(text, id_size) &&
            !(append(&scanner->names, name, name_size) &&
              append(&scanner->posts, (const char *)&post, sizeof post) &&
              set(&scanner->wanted, text, id_size, number)))
            return 0;
        text = stop + 1;
    }
    return 1;
}

static Outcome take_line(Scanner *scanner, const char **at, const char *end) {
    enum { MOST_FIELDS = (int)P_FIELDS > (int)C_FIELDS ? (int)P_FIELDS : (int)C_FIELDS };
    Value values[MOST_FIELDS] = {0};
    bool is_post = scanner->are_posts;
    Walk walk = {.end = end,
                 .number_of = is_post ? post_field : comment_field,
                 .values = values,
                 .before = scanner->before,
                 .now = scanner->now};
    const char *next = read_object(*at, &walk);
    if (next) {
        scanner->now = scanner->before;
        scanner->before = walk.now;
    }
    if (next && next - *at > INT32_MAX) next = NULL; /* rows have sizes of 32 bits */
    Outcome outcome = !next     ? ODD
                      : is_post ? take_post(scanner, values)
                                : take_comment(scanner, values);
    /* Past the line, also where it was not read to its end. */
    if (!next) next = (const char *)memchr(*at, '\n', (size_t)(end - *at)) + 1;
    *at = next;
    return outcome;
}

static void note_odd(Scanner *scanner, OddLine line) {
    scanner->tally.odd++;
    scanner->has_memory &= append(&scanner->odd, (const char *)&line, sizeof line);
}

/* Scan a block of lines, and give what it came to; NULL where there is no memory. */
EXPORTED const Tally *scanner_scan(Scanner *scanner, const char *block, int64_t size) {
    Tally *tally = &scanner->tally;
    *tally = (Tally){0};
    scanner->odd.size = 0;
    scanner->before = scanner->objects;
    scanner->before->count = 0; /* it was in the block before, which may be gone */
    scanner->now = scanner->objects + 1;
    int64_t whole = size;
    while (whole && block[whole - 1] != '\n') whole--;
    const char *at = block, *end = block + whole;
    while (at < end && scanner->has_memory) {
        const char *start = at;
        Outcome outcome = take_line(scanner, &at, end);
        tally->lines++;
        tally->breaks++;
        if (at - start > 1 && at[-2] == '\r' && !tally->returns++)
            tally->first_return = tally->lines;
        tally->taken += outcome == TAKEN;
        tally->elsewhere += outcome == ELSEWHERE;
        tally->passed += outcome == PASSED;
        if (outcome == ODD)
            note_odd(scanner, (OddLine){tally->lines, start - block, at - 1 - block});
    }
    if (whole < size) /* no break behind the last line of a file */
        note_odd(scanner, (OddLine){++tally->lines, whole, size});
    for (int64_t number = 0; number < scanner->part_count; number++)
        tally->held += (int64_t)(scanner->parts[number].records.size +
                                 scanner->parts[number].rows.size);
    return scanner->has_memory ? tally : NULL;
}

/* The lines of the last block that are to be read by the long way. */
EXPORTED const OddLine *scanner_odd(const Scanner *scanner) {
    return (const OddLine *)scanner->odd.at;
}

/* What a part holds: records as a msgpack list, and their rows. */
EXPORTED int64_t scanner_part(Scanner *scanner, int64_t number, const char **records,
                              int64_t *records_size, const char **rows, int64_t *rows_size) {
    Part *part = &scanner->parts[number];
    if (part->count) {
        Bytes head = {.at = part->records.at, .room = HEAD};
        put_byte(&head, LONG_LIST);
        put_big_endian(&head, (uint64_t)part->count, 4);
    }
    *records = part->records.at;
    *records_size = (int64_t)part->records.size;
    *rows = part->rows.at;
    *rows_size = (int64_t)part->rows.size;
    return part->count;
}

/* Forget what all parts hold, and keep their memory. */
EXPORTED void scanner_clear(Scanner *scanner) {
    for (int64_t number = 0; number < scanner->part_count; number++) {
        Part *part = &scanner->parts[number];
        part->records.size = part->rows.size = 0;
        part->count = 0;
    }
}
