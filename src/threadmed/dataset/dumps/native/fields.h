/* The fields of a record, in the forms that nearly all of them have.

   Each function here is the quick half of one in threadmed.dataset.dumps.reddit:
   id_of of plain_id, time_in and edited_in of whole, retrieved_in of _retrieved,
   is_notice, read_author of author_of, read_marker of marker. */
#ifndef THREADMED_FIELDS_H
#define THREADMED_FIELDS_H

#include "text.h"

typedef enum { NOT_LOST, LOST_DELETED, LOST_REMOVED } Marker;

static const char *const LOSSES[] = {NULL, "deleted", "removed"};

enum { LONGEST_ID = 11, LONGEST_NAME = 64, MOST_DIGITS = 10, LONGEST_FRACTION = 24 };

static const int64_t LATEST = (int64_t)1 << 36;

static bool is_unset(const Value *value) { return value->kind <= NOTHING; }

/* What may stand for a truth: nothing, or one of the two. */
static bool is_truth(const Value *value) { return value->kind <= TRUE; }

static bool is_string_or_unset(const Value *value) {
    return is_unset(value) || value->kind == STRING;
}

/* A string that is held against words, which none is that is written with escapes. */
static bool is_word_or_unset(const Value *value) {
    return is_unset(value) || (value->kind == STRING && !value->is_escaped);
}

static bool is_text(const Value *value, const char *text) {
    return value->kind == STRING && value->size == strlen(text) &&
           memcmp(value->at, text, value->size) == 0;
}

/* A number of base 36 as dumps write it, in small letters; 0 where it is none. */
static uint64_t id_of(const char *at, size_t size) {
    if (!size || size > LONGEST_ID || *at == '0') return 0;
    uint64_t id = 0;
    for (size_t place = 0; place < size; place++) {
        char sign = at[place];
        if (is_digit(sign)) id = id * 36 + (uint64_t)(sign - '0');
        else if (sign >= 'a' && sign <= 'z') id = id * 36 + (uint64_t)(sign - 'a' + 10);
        else return 0;
    }
    return id;
}

static uint64_t id_in(const Value *value) {
    return value->kind == STRING ? id_of(value->at, value->size) : 0;
}

/* The id behind a prefix such as "t3_"; 0 where it is none. */
static uint64_t id_behind(const Value *value, const char *prefix) {
    if (value->kind != STRING || value->size < 4 || memcmp(value->at, prefix, 3)) return 0;
    return id_of(value->at + 3, value->size - 3);
}

/* A time in digits, with or without quotation marks; -1 where it is of another form. */
static int64_t time_in(const Value *value) {
    if (value->kind == WHOLE)
        return value->whole >= 0 && value->whole <= LATEST ? value->whole : -1;
    if (value->kind != STRING || !value->size || value->size > MOST_DIGITS) return -1;
    int64_t found = 0;
    for (size_t place = 0; place < value->size; place++) {
        if (!is_digit(value->at[place])) return -1;
        found = found * 10 + (value->at[place] - '0');
    }
    return found;
}

/* When a copy was taken: -1 where it is not said, -2 where it is of another form. */
static int64_t retrieved_in(const Value *on, const Value *utc) {
    int64_t latest = -1;
    const Value *const both[] = {on, utc};
    for (int one = 0; one < 2; one++) {
        if (is_unset(both[one])) continue;
        int64_t time = both[one]->kind == WHOLE ? time_in(both[one]) : -1;
        if (time < 0) return -2;
        if (time > latest) latest = time;
    }
    return latest;
}

/* Whether a record says that it was edited; -1 where it is of another form. */
static int edited_in(const Value *value) {
    if (value->kind == WHOLE) return value->whole != 0;
    if (is_truth(value)) return value->kind == TRUE;
    /* A long one may be too large for Python, or so small that it is nothing. */
    if (value->kind != FRACTION || value->size > LONGEST_FRACTION) return -1;
    bool is_zero = true;
    for (size_t place = 0; place < value->size; place++) {
        char sign = value->at[place];
        if (sign == 'e' || sign == 'E') return -1;
        is_zero = is_zero && !(is_digit(sign) && sign != '0');
    }
    return !is_zero;
}

static bool is_notice(const Value *distinguished, const Value *stickied) {
    return stickied->kind == TRUE &&
           (is_text(distinguished, "moderator") || is_text(distinguished, "admin"));
}

static bool is_plain_name(const char *at, size_t size) {
    for (size_t place = 0; place < size; place++)
        if (!is_alphanumeric(at[place]) && at[place] != '_' && at[place] != '-') return false;
    return size <= LONGEST_NAME;
}

/* Make the name of a deleted account an empty one; false where a name is unusual. */
static bool read_author(Value *author) {
    if (is_unset(author) || is_text(author, "[deleted]") || is_text(author, "[removed]")) {
        *author = (Value){.kind = STRING, .at = ""};
        return true;
    }
    return author->kind == STRING && is_plain_name(author->at, author->size);
}

/* Whether a text only says that it is gone; false where that is not plain to see. */
static bool read_marker(Value *text, Marker *marker) {
    *marker = NOT_LOST;
    if (is_unset(text)) *text = (Value){.kind = STRING, .at = ""};
    if (text->kind != STRING) return false;
    if (!text->size) return true;
    char first = text->at[0], last = text->at[text->size - 1];
    if (is_text(text, "[deleted]")) *marker = LOST_DELETED;
    else if (is_text(text, "[removed]")) *marker = LOST_REMOVED;
    else if (first == '[') /* an escape may be a space, of which this is the last letter */
        return !text->is_escaped && (is_alphanumeric(last) || strchr(").!?", last));
    else return first > ' ' && first < 0x7F && first != '\\';
    return true;
}

/* In a function that gives the number of a key's field, whose size is that of the text. */
#define KEY(text, field) \
    if (memcmp(key, text, sizeof text - 1) == 0) return field

#endif
