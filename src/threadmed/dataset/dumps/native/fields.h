/* The fields of a record, in the forms that nearly all of them have.

   Each function here is the quick half of one in threadmed.dataset.dumps.reddit:
   id_of of plain_id, time_in and edited_in of whole, retrieved_in of _retrieved,
   is_notice, read_author of author_of, read_marker of marker. */
#ifndef THREADMED_FIELDS_H
#define THREADMED_FIELDS_H

#include <stddef.h>

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

enum { MOST_KNOWN = 160, LOOKED_AHEAD = 8 };

/* A field as it stands in a record. */
typedef struct {
    const char *key, *value;
    const char *next; /* where the next key begins; NULL behind the last field */
    int field;        /* its number; -1 where it is not needed */
} Field;

/* The fields of a record in their order, as far as there is room; its text stays where it
   is as long as they are used. */
typedef struct {
    Field fields[MOST_KNOWN];
    int count;
} Layout;

/* An object on the way through it, and the one before: nearly all of its keys come again
   in the same order, and most with the same value. */
typedef struct {
    const char *end; /* of the block */
    int (*field_of)(const char *, size_t);
    Value *fields; /* by their numbers */
    const Layout *before;
    int place; /* of the field expected next, in the one before */
    Layout *now;
} Walk;

/* How many bytes are the same in both, of at most so many. */
static size_t same_bytes(const char *one, const char *other, size_t most) {
    size_t place = 0;
#ifdef __SSE2__
    for (; most - place >= 16; place += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(one + place));
        __m128i others = _mm_loadu_si128((const __m128i *)(other + place));
        unsigned same = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, others));
        if (same != 0xFFFF) return place + (size_t)__builtin_ctz(~same);
    }
#endif
    for (; most - place >= 8; place += 8) {
        uint64_t other_bits = eight_at(one + place) ^ eight_at(other + place);
        if (other_bits) return place + (size_t)__builtin_ctzll(other_bits) / 8;
    }
    while (place < most && one[place] == other[place]) place++;
    return place;
}

static void note(Layout *now, Field field) {
    if (now->count < MOST_KNOWN) now->fields[now->count++] = field;
}

/* Past the value of a field; NULL where it comes twice, which is left to the long way. */
static const char *past_value_of(const Walk *walk, int field, const char *at) {
    Value ignored;
    if (field < 0) return past_value(at, walk->end, &ignored);
    if (walk->fields[field].kind != ABSENT) return NULL;
    return past_value(at, walk->end, &walk->fields[field]);
}

/* Past all fields that stand here as in the object before; `known` is then the one whose
   key alone stands here too, or NULL. */
static const char *past_same(Walk *walk, const char *at, const Field **known) {
    const Layout *before = walk->before;
    *known = NULL;
    if (walk->place >= before->count) return at;
    const Field *field = &before->fields[walk->place];
    /* Of the last field no more than the key: there is no comma that ends its value. */
    const char *start = field->key, *last = before->fields[before->count - 1].value;
    size_t most = (size_t)(last - start), left = (size_t)(walk->end - at);
    const char *until = start + same_bytes(start, at, most < left ? most : left);
    ptrdiff_t moved = at - start;
    for (; field->next && field->next <= until; field++, walk->place++) {
        const char *value = field->value + moved;
        if (field->field >= 0 && !past_value_of(walk, field->field, value)) return NULL;
        Field here = {field->key + moved, value, field->next + moved, field->field};
        note(walk->now, here);
        at = here.next;
    }
    if (field->value <= until) *known = field;
    return spaces(at); /* of which there may be more than in the object before */
}

/* Past a key that is not the expected one. Where it is one that came a little later in the
   object before, what followed it there is expected next. */
static const char *past_other_key(Walk *walk, const char *at, int *field) {
    Value key;
    const char *value = past_key(at, walk->end, &key);
    if (!value || key.is_escaped) return NULL;
    *field = walk->field_of(key.at, key.size);
    int count = walk->before->count, stop = walk->place + LOOKED_AHEAD;
    for (int place = walk->place; place < count && place < stop; place++)
        if (memcmp(walk->before->fields[place].key, at, key.size + 2) == 0) {
            walk->place = place + 1;
            break;
        }
    return value;
}

/* Past the next field, and the comma behind it. */
static const char *past_field(Walk *walk, const char *at) {
    const Field *known;
    at = past_same(walk, at, &known);
    if (!at) return NULL;
    Field here = {.key = at};
    if (known) {
        walk->place++;
        here.field = known->field;
        here.value = spaces(at + (known->value - known->key));
    } else {
        here.value = past_other_key(walk, at, &here.field);
    }
    at = here.value ? past_value_of(walk, here.field, here.value) : NULL;
    if (!at) return NULL;
    at = spaces(at);
    if (*at == ',') {
        at = here.next = spaces(at + 1);
        if (*at != '"') return NULL;
    } else if (*at != '}') {
        return NULL;
    }
    note(walk->now, here);
    return at;
}

/* Read an object whose fields a function has places for; NULL where it is none that
   stands alone on its line. */
static const char *read_object(const char *at, Walk *walk) {
    walk->now->count = 0;
    if (*at != '{') return NULL;
    at = spaces(at + 1);
    while (*at != '}')
        if (!(at = past_field(walk, at))) return NULL;
    at = spaces(at + 1);
    return *at == '\n' ? at + 1 : NULL;
}

/* In a function that gives the field of a key, whose size is that of the text. */
#define KEY(text, field) \
    if (memcmp(key, text, sizeof text - 1) == 0) return field

#endif
