/* Objects, each walked over beside the one before: what stands in both is compared and not
   read again. */
#ifndef THREADMED_OBJECT_H
#define THREADMED_OBJECT_H

#include <stddef.h>

#include "json.h"

enum { MOST_SEEN = 160, LOOKED_AHEAD = 8 };

/* A field as it stands in an object. */
typedef struct {
    const char *key, *value;
    const char *next; /* where the next key begins; NULL behind the last field */
    int number;       /* -1 where it is not needed */
} Field;

/* The fields of an object in their order, as far as there is room; its text stays where it
   is as long as they are used. */
typedef struct {
    Field fields[MOST_SEEN];
    int count;
} Seen;

/* An object on the way through it, and the one before: nearly all of its keys come again
   in the same order, and most with the same value. */
typedef struct {
    const char *end;                        /* of the block */
    int (*number_of)(const char *, size_t); /* of a key's field */
    Value *values;                          /* by these numbers */
    const Seen *before;
    int place; /* of the field expected next, in the one before */
    Seen *now;
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

static void keep_field(Seen *now, Field field) {
    if (now->count < MOST_SEEN) now->fields[now->count++] = field;
}

/* Past the value of a field; NULL where it comes twice, which is left to the long way. */
static const char *past_value_of(const Walk *walk, int number, const char *at) {
    Value ignored;
    if (number < 0) return past_value(at, walk->end, &ignored);
    if (walk->values[number].kind != ABSENT) return NULL;
    return past_value(at, walk->end, &walk->values[number]);
}

/* Past all fields that stand here as in the object before; `known` is then the one whose
   key alone stands here too, or NULL. */
static const char *past_same(Walk *walk, const char *at, const Field **known) {
    const Seen *before = walk->before;
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
        if (field->number >= 0 && !past_value_of(walk, field->number, value)) return NULL;
        Field here = {field->key + moved, value, field->next + moved, field->number};
        keep_field(walk->now, here);
        at = here.next;
    }
    if (field->value <= until) *known = field;
    return spaces(at); /* of which there may be more than in the object before */
}

/* Past a key that is not the expected one. Where it is one that came a little later in the
   object before, what followed it there is expected next. */
static const char *past_other_key(Walk *walk, const char *at, int *number) {
    Value key;
    const char *value = past_key(at, walk->end, &key);
    if (!value || key.is_escaped) return NULL;
    *number = walk->number_of(key.at, key.size);
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
        here.number = known->number;
        here.value = spaces(at + (known->value - known->key));
    } else {
        here.value = past_other_key(walk, at, &here.number);
    }
    at = here.value ? past_value_of(walk, here.number, here.value) : NULL;
    if (!at) return NULL;
    at = spaces(at);
    if (*at == ',') {
        at = here.next = spaces(at + 1);
        if (*at != '"') return NULL;
    } else if (*at != '}') {
        return NULL;
    }
    keep_field(walk->now, here);
    return at;
}

/* Past an object and the break of its line, with the values that are needed; NULL where it
   does not stand alone on its line. */
static const char *read_object(const char *at, Walk *walk) {
    walk->now->count = 0;
    if (*at != '{') return NULL;
    at = spaces(at + 1);
    while (*at != '}')
        if (!(at = past_field(walk, at))) return NULL;
    at = spaces(at + 1);
    return *at == '\n' ? at + 1 : NULL;
}

#endif
