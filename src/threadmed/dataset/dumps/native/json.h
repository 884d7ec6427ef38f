/* A walk over one JSON value that accepts no more than a strict reader does.

   Every text that is walked over ends with a line break, which is no part of any value,
   so that nothing has to be held against the end of the text but what looks ahead by
   many bytes. A walk gives the place behind the value, or NULL where it is not what it
   should be; whoever asked then has the line read by the long way. */
#ifndef THREADMED_JSON_H
#define THREADMED_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { DEEPEST = 48, LONGEST_WHOLE = 18 };

typedef enum {
    ABSENT,
    NOTHING,
    FALSE,
    TRUE,
    WHOLE,
    FRACTION, /* also a whole number of too many digits */
    STRING,
    NESTED,
} Kind;

typedef struct {
    Kind kind;
    bool is_escaped;
    const char *at; /* of a string, behind its quotation mark, or of a fraction */
    size_t size;    /* of either, as it is written */
    int64_t whole;
} Value;

static const uint64_t ONES = 0x0101010101010101u, HIGHS = 0x8080808080808080u;

static uint64_t has_zero(uint64_t bytes) { return (bytes - ONES) & ~bytes & HIGHS; }

/* A bit for each of eight bytes that ends a string, escapes, controls or is not ASCII;
   those behind the first of them may be wrong. */
static uint64_t to_look_at(uint64_t bytes) {
    uint64_t quotes = has_zero(bytes ^ ONES * '"');
    uint64_t escapes = has_zero(bytes ^ ONES * '\\');
    uint64_t controls = (bytes - ONES * 0x20) & ~bytes & HIGHS;
    return quotes | escapes | controls | (bytes & HIGHS);
}

/* Eight bytes as a number whose lowest byte is the first of them. */
static uint64_t eight_at(const char *at) {
    uint64_t bytes;
    memcpy(&bytes, at, 8);
#if defined __BYTE_ORDER__ && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    bytes = __builtin_bswap64(bytes);
#endif
    return bytes;
}

static bool is_plain(char sign) {
    unsigned char byte = (unsigned char)sign;
    return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

/* Past the signs of a string that stand for themselves. */
static const char *past_plain(const char *at, const char *end) {
#ifdef __SSE2__
    const __m128i quote = _mm_set1_epi8('"'), escape = _mm_set1_epi8('\\');
    const __m128i space = _mm_set1_epi8(' ');
    for (; end - at >= 16; at += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)at);
        /* As signed numbers, those that are not ASCII are less than a space too. */
        __m128i found = _mm_or_si128(_mm_cmplt_epi8(bytes, space),
                                     _mm_or_si128(_mm_cmpeq_epi8(bytes, quote),
                                                  _mm_cmpeq_epi8(bytes, escape)));
        int bits = _mm_movemask_epi8(found);
        if (bits) return at + __builtin_ctz((unsigned)bits);
    }
#endif
    while (end - at >= 8) {
        uint64_t bits = to_look_at(eight_at(at));
        if (bits) return at + __builtin_ctzll(bits) / 8;
        at += 8;
    }
    while (is_plain(*at)) at++;
    return at;
}

static const char *spaces(const char *at) {
    while (*at == ' ' || *at == '\t' || *at == '\r') at++;
    return at;
}

static int hex_of(char sign) {
    if (sign >= '0' && sign <= '9') return sign - '0';
    sign |= 0x20;
    return sign >= 'a' && sign <= 'f' ? sign - 'a' + 10 : -1;
}

/* Four hexadecimal digits, or -1. */
static int32_t hex4(const char *at) {
    int32_t found = 0;
    for (int place = 0; place < 4; place++) {
        int digit = hex_of(at[place]);
        if (digit < 0) return -1;
        found = found << 4 | digit;
    }
    return found;
}

/* Past what follows a backslash; a half of a pair of surrogates is none. */
static const char *past_escape(const char *at) {
    if (*at != 'u') return *at && strchr("\"\\/bfnrt", *at) ? at + 1 : NULL;
    int32_t unit = hex4(at + 1);
    if (unit < 0) return NULL;
    if (unit < 0xD800 || unit > 0xDFFF) return at + 5;
    if (unit > 0xDBFF || at[5] != '\\' || at[6] != 'u') return NULL;
    int32_t low = hex4(at + 7);
    return low >= 0xDC00 && low <= 0xDFFF ? at + 11 : NULL;
}

static bool follows(char sign) { return ((unsigned char)sign & 0xC0) == 0x80; }

/* Past one character of UTF-8 that is not ASCII: shortest form, no surrogate. */
static const char *past_character(const char *at) {
    unsigned char first = (unsigned char)at[0], second = (unsigned char)at[1];
    if (first >= 0xC2 && first <= 0xDF) return follows(at[1]) ? at + 2 : NULL;
    if (first >= 0xE0 && first <= 0xEF) {
        bool is_right = follows(at[1]) && (first != 0xE0 || second >= 0xA0) &&
                        (first != 0xED || second < 0xA0);
        return is_right && follows(at[2]) ? at + 3 : NULL;
    }
    if (first >= 0xF0 && first <= 0xF4) {
        bool is_right = follows(at[1]) && (first != 0xF0 || second >= 0x90) &&
                        (first != 0xF4 || second < 0x90);
        return is_right && follows(at[2]) && follows(at[3]) ? at + 4 : NULL;
    }
    return NULL;
}

/* Past the closing quotation mark of a string whose text begins here. */
static const char *past_string(const char *at, const char *end, bool *is_escaped) {
    for (;;) {
        at = past_plain(at, end);
        if (*at == '"') return at + 1;
        if (*at == '\\') {
            *is_escaped = true;
            at = past_escape(at + 1);
        } else {
            at = (unsigned char)*at < 0x20 ? NULL : past_character(at);
        }
        if (!at) return NULL;
    }
}

static bool is_digit(char sign) { return sign >= '0' && sign <= '9'; }

static const char *past_digits(const char *at) {
    if (!is_digit(*at)) return NULL;
    while (is_digit(*at)) at++;
    return at;
}

static const char *past_number(const char *at, Value *value) {
    bool is_negative = *at == '-';
    const char *begin = at, *first = at + is_negative;
    at = *first == '0' ? first + 1 : past_digits(first);
    if (!at) return NULL;
    value->kind = at - first <= LONGEST_WHOLE ? WHOLE : FRACTION;
    if (value->kind == WHOLE) {
        value->whole = 0;
        for (const char *digit = first; digit < at; digit++)
            value->whole = value->whole * 10 + (*digit - '0');
        if (is_negative) value->whole = -value->whole;
    }
    if (*at == '.') {
        value->kind = FRACTION;
        at = past_digits(at + 1);
        if (!at) return NULL;
    }
    if (*at == 'e' || *at == 'E') {
        value->kind = FRACTION;
        at++;
        at = past_digits(at + (*at == '+' || *at == '-'));
        if (!at) return NULL;
    }
    if (value->kind == FRACTION) {
        value->at = begin;
        value->size = (size_t)(at - begin);
    }
    return at;
}

static const char *past_nested(const char *at, const char *end);

static const char *past_word(const char *at, const char *word, Kind kind, Value *value) {
    value->kind = kind;
    for (; *word; word++, at++)
        if (*at != *word) return NULL;
    return at;
}

/* Past a value, and what it is. */
static const char *past_value(const char *at, const char *end, Value *value) {
    switch (*at) {
    case '"':
        value->kind = STRING;
        value->is_escaped = false;
        value->at = at + 1;
        at = past_string(at + 1, end, &value->is_escaped);
        if (at) value->size = (size_t)(at - 1 - value->at);
        return at;
    case '{':
    case '[':
        value->kind = NESTED;
        return past_nested(at, end);
    case 'n': return past_word(at, "null", NOTHING, value);
    case 't': return past_word(at, "true", TRUE, value);
    case 'f': return past_word(at, "false", FALSE, value);
    default: return past_number(at, value);
    }
}

/* Past a key and its colon; its text is as written. */
static const char *past_key(const char *at, const char *end, Value *key) {
    if (*at != '"') return NULL;
    at = past_value(at, end, key);
    if (!at) return NULL;
    at = spaces(at);
    return *at == ':' ? spaces(at + 1) : NULL;
}

/* Past an object or a list, which begins here; by no recursion, as text may be deep. */
static const char *past_nested(const char *at, const char *end) {
    char closing[DEEPEST];
    int depth = 0;
    Value ignored;
    for (;;) {
        /* Here a value begins. */
        if (*at == '{' || *at == '[') {
            if (depth == DEEPEST) return NULL;
            char close = closing[depth++] = *at == '{' ? '}' : ']';
            at = spaces(at + 1);
            if (*at != close) {
                if (close == '}' && !(at = past_key(at, end, &ignored))) return NULL;
                continue;
            }
        } else {
            at = past_value(at, end, &ignored);
            if (!at) return NULL;
            at = spaces(at);
        }
        /* Here it has ended, or what holds it ends. */
        while (*at == closing[depth - 1]) {
            at++;
            if (--depth == 0) return at;
            at = spaces(at);
        }
        if (*at != ',') return NULL;
        at = spaces(at + 1);
        if (closing[depth - 1] == '}' && !(at = past_key(at, end, &ignored))) return NULL;
    }
}

#endif
