/* Comments: as threadmed.dataset.dumps.reddit.comment_from makes them of a record. */
#ifndef THREADMED_COMMENTS_H
#define THREADMED_COMMENTS_H

#include "scanner.h"

enum {
    C_ID, C_LINK, C_PARENT, C_AUTHOR, C_FLAIR, C_BODY, C_CREATED, C_RETRIEVED_ON,
    C_RETRIEVED_UTC, C_EDITED, C_SUBMITTER, C_REMOVAL, C_BANNED, C_DISTINGUISHED,
    C_STICKIED, C_META, C_FIELDS,
};

static int comment_field(const char *key, size_t size) {
    switch (size) {
    case 2: KEY("id", C_ID); break;
    case 4: KEY("body", C_BODY); break;
    case 5: KEY("_meta", C_META); break;
    case 6: KEY("author", C_AUTHOR); KEY("edited", C_EDITED); break;
    case 7: KEY("link_id", C_LINK); break;
    case 8: KEY("stickied", C_STICKIED); break;
    case 9: KEY("parent_id", C_PARENT); break;
    case 11: KEY("created_utc", C_CREATED); break;
    case 12: KEY("retrieved_on", C_RETRIEVED_ON); KEY("is_submitter", C_SUBMITTER); break;
    case 13:
        KEY("retrieved_utc", C_RETRIEVED_UTC);
        KEY("distinguished", C_DISTINGUISHED);
        KEY("banned_at_utc", C_BANNED);
        break;
    case 14: KEY("removal_reason", C_REMOVAL); break;
    case 17: KEY("author_flair_text", C_FLAIR); break;
    }
    return -1;
}

/* Whether all fields are of a type that a comment may have, whatever they say. */
static bool has_comment_types(const Value *f) {
    return f[C_BODY].kind != ABSENT && is_string_or_unset(&f[C_BODY]) &&
           is_string_or_unset(&f[C_FLAIR]) && is_word_or_unset(&f[C_DISTINGUISHED]) &&
           is_truth(&f[C_SUBMITTER]) && is_truth(&f[C_STICKIED]) &&
           is_unset(&f[C_REMOVAL]) && is_unset(&f[C_BANNED]) && is_unset(&f[C_META]);
}

/* The number of a flair; -1 where nobody has said yet whether its words are wanted. */
static int64_t flair_of(Scanner *scanner, const Value *flair) {
    enum { MOST_FLAIRS = 1 << 16 };
    if (is_unset(flair)) return 0;
    /* A key is never empty. */
    const char *at = flair->at - 1;
    size_t size = flair->size + 1;
    Entry *known = find(&scanner->flairs, at, size);
    if (known) return known->value < (int64_t)scanner->flair_wanted.size ? known->value : -1;
    if (scanner->flairs.used < MOST_FLAIRS)
        scanner->has_memory &=
            set(&scanner->flairs, at, size, (int64_t)scanner->flairs.used + 1);
    return -1;
}

typedef struct {
    const WantedPost *of;
    int64_t created, retrieved, flair;
    Marker marker;
    bool is_needed;
    CommentRow row;
} Comment;

static bool read_comment(Scanner *scanner, Value *f, Comment *comment) {
    CommentRow *row = &comment->row;
    uint64_t replied = id_behind(&f[C_PARENT], "t1_");
    int edited = edited_in(&f[C_EDITED]);
    row->id = id_in(&f[C_ID]);
    row->parent = replied;
    bool is_reply = id_behind(&f[C_PARENT], "t3_") != 0;
    comment->created = time_in(&f[C_CREATED]);
    comment->retrieved = retrieved_in(&f[C_RETRIEVED_ON], &f[C_RETRIEVED_UTC]);
    comment->flair = flair_of(scanner, &f[C_FLAIR]);
    bool is_plain = row->id && (is_reply || replied) && replied != row->post &&
                    edited >= 0 && comment->created >= 0 && comment->retrieved > -2 &&
                    comment->flair >= 0 && read_author(&f[C_AUTHOR]) &&
                    read_marker(&f[C_BODY], &comment->marker);
    if (!is_plain) return false;
    const WantedPost *of = comment->of;
    const Value *author = &f[C_AUTHOR];
    bool is_same = author->size && author->size == of->size &&
                   memcmp(author->at, scanner->names.at + of->start, of->size) == 0;
    bool is_patient = f[C_SUBMITTER].kind == TRUE || is_same;
    bool is_answer = scanner->flair_wanted.at[comment->flair];
    comment->is_needed = comment->marker == NOT_LOST && (is_patient || is_answer);
    row->flair = (uint32_t)comment->flair;
    row->flags |= comment->marker == LOST_DELETED ? COMMENT_DELETED : 0;
    row->flags |= comment->marker == LOST_REMOVED ? COMMENT_REMOVED : 0;
    row->flags |= is_notice(&f[C_DISTINGUISHED], &f[C_STICKIED]) ? COMMENT_NOTICE : 0;
    row->flags |= edited ? COMMENT_EDITED : 0;
    row->flags |= is_patient ? COMMENT_PATIENT : 0;
    if (is_patient && author->size && of->size && !is_same)
        row->flags |= COMMENT_OTHER_NAME;
    row->flags |= !author->size && !is_patient ? COMMENT_NAMELESS : 0;
    row->flags |= is_bot(scanner, author) ? COMMENT_BOT : 0;
    return true;
}

/* Write what msgspec reads as threadmed.dataset.dumps.reddit.Comment. */
static bool write_comment(Scanner *scanner, const Value *f, Comment *comment) {
    CommentRow *row = &comment->row;
    const Value body = comment->is_needed ? f[C_BODY] : (Value){.kind = NOTHING};
    size_t strings = f[C_LINK].size + f[C_ID].size + f[C_PARENT].size + f[C_AUTHOR].size +
                     (is_unset(&f[C_FLAIR]) ? 0 : f[C_FLAIR].size) + body.size;
    const char *loss = LOSSES[comment->marker];
    size_t room = 1 + 7 * HEAD + strings + 2 * WHOLE_SIZE + 3 + (loss ? strlen(loss) : 0);
    Bytes *to = room_in(scanner, comment->of->part, room, sizeof *row);
    if (!to) return false;
    size_t begin = to->size;
    put_byte(to, LIST_OF_TWELVE);
    put_string(to, f[C_LINK].at + 3, f[C_LINK].size - 3);
    put_string(to, f[C_ID].at, f[C_ID].size);
    put_string(to, f[C_PARENT].at + 3, row->parent ? f[C_PARENT].size - 3 : 0);
    put_whole(to, comment->created);
    put_string(to, f[C_AUTHOR].at, f[C_AUTHOR].size);
    put_value(to, &f[C_FLAIR]);
    put_truth(to, row->flags & COMMENT_PATIENT);
    size_t before = to->size;
    put_value(to, &body);
    size_t size;
    const char *text = text_written(to, before, &size);
    row->flags |= has_surely_words(text, size, 1) ? COMMENT_WORDS : 0;
    put_truth(to, row->flags & COMMENT_NOTICE);
    put_truth(to, row->flags & COMMENT_EDITED);
    put_loss(to, loss);
    put_whole(to, comment->retrieved);
    row->size = (uint32_t)(to->size - begin);
    keep_row(scanner, comment->of->part, row, sizeof *row);
    return true;
}

static Outcome take_comment(Scanner *scanner, Value *f) {
    if (!has_comment_types(f)) return ODD;
    Comment comment = {.row = {.post = id_behind(&f[C_LINK], "t3_")}};
    if (!comment.row.post) return ODD;
    Entry *wanted = find(&scanner->wanted, f[C_LINK].at + 3, f[C_LINK].size - 3);
    if (!wanted) {
        bool is_sound = time_in(&f[C_CREATED]) >= 0 && edited_in(&f[C_EDITED]) >= 0 &&
                        retrieved_in(&f[C_RETRIEVED_ON], &f[C_RETRIEVED_UTC]) > -2 &&
                        is_string_or_unset(&f[C_ID]) && is_string_or_unset(&f[C_PARENT]) &&
                        is_string_or_unset(&f[C_AUTHOR]);
        return is_sound ? ELSEWHERE : ODD;
    }
    comment.of = (const WantedPost *)scanner->posts.at + wanted->value;
    bool is_taken = read_comment(scanner, f, &comment) && write_comment(scanner, f, &comment);
    return is_taken ? TAKEN : ODD;
}

#endif
