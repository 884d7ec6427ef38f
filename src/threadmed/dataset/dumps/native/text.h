/* Bytes that grow, and what is written to them: msgpack, and the text of JSON strings. */
#ifndef THREADMED_TEXT_H
#define THREADMED_TEXT_H

#include <stdlib.h>

#include "json.h"

typedef struct {
    char *at;
    size_t size, room;
} Bytes;

/* Make room for so many bytes more; false where there is no memory. */
static bool reserve(Bytes *bytes, size_t more) {
    if (bytes->room - bytes->size >= more) return true;
    size_t room = bytes->room ? bytes->room : 4096;
    while (room - bytes->size < more) room *= 2;
    char *at = realloc(bytes->at, room);
    if (!at) return false;
    bytes->at = at;
    bytes->room = room;
    return true;
}

static void put(Bytes *to, const void *from, size_t size) {
    if (size) memcpy(to->at + to->size, from, size);
    to->size += size;
}

static void put_byte(Bytes *to, unsigned byte) { to->at[to->size++] = (char)byte; }

static void put_big_endian(Bytes *to, uint64_t number, int width) {
    while (width-- > 0) put_byte(to, (unsigned)(number >> 8 * width & 0xFF));
}

/* HEAD: most bytes before a string, and before a list of records: a sign and a length of
   four. LIST_OF_TWELVE: as many as Post and Comment have fields. */
enum { HEAD = 5, WHOLE_SIZE = 9, LIST_OF_TWELVE = 0x9C, LONG_LIST = 0xDD };

/* What the callers below write takes at most HEAD + size, or WHOLE_SIZE bytes. */
static void put_string(Bytes *to, const char *from, size_t size) {
    if (size < 32) {
        put_byte(to, 0xA0 | (unsigned)size);
    } else if (size < 256) {
        put_byte(to, 0xD9);
        put_byte(to, (unsigned)size);
    } else {
        put_byte(to, 0xDB);
        put_big_endian(to, size, 4);
    }
    put(to, from, size);
}

static void put_text(Bytes *to, const char *text) { put_string(to, text, strlen(text)); }

static void put_whole(Bytes *to, int64_t number) {
    bool is_short = number >= 0 && number <= UINT32_MAX;
    put_byte(to, is_short ? 0xCE : 0xD3);
    put_big_endian(to, (uint64_t)number, is_short ? 4 : 8);
}

static void put_truth(Bytes *to, bool is_true) { put_byte(to, is_true ? 0xC3 : 0xC2); }

/* The text of the string that was written to the end, from where it began. */
static const char *text_written(const Bytes *to, size_t start, size_t *size) {
    unsigned char head = (unsigned char)to->at[start];
    size_t begin = start + (head < 0xC0 ? 1 : head == 0xD9 ? 2 : HEAD);
    *size = to->size - begin;
    return to->at + begin;
}

static void put_nothing(Bytes *to) { put_byte(to, 0xC0); }

static char *write_character(char *to, uint32_t code) {
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xC0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        *to++ = (char)(0xE0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3F));
        *to++ = (char)(0x80 | (code & 0x3F));
    } else {
        *to++ = (char)(0xF0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 0x3F));
        *to++ = (char)(0x80 | (code >> 6 & 0x3F));
        *to++ = (char)(0x80 | (code & 0x3F));
    }
    return to;
}

/* Write what stands behind a backslash, which was walked over before. */
static const char *unescape(const char *at, char **to) {
    static const char signs[] = "bfnrt", meant[] = "\b\f\n\r\t";
    if (*at != 'u') {
        const char *found = strchr(signs, *at);
        *(*to)++ = found ? meant[found - signs] : *at;
        return at + 1;
    }
    uint32_t code = (uint32_t)hex4(at + 1);
    at += 5;
    if (code >= 0xD800 && code <= 0xDFFF) {
        code = 0x10000 + ((code - 0xD800) << 10) + ((uint32_t)hex4(at + 2) - 0xDC00);
        at += 6;
    }
    *to = write_character(*to, code);
    return at;
}

/* The text of a string, which needs no more room than it takes as it is written. */
static size_t read_text(const Value *value, char *to) {
    if (!value->is_escaped) {
        memcpy(to, value->at, value->size);
        return value->size;
    }
    char *start = to;
    const char *at = value->at, *end = value->at + value->size;
    while (at < end) {
        const char *escape = memchr(at, '\\', (size_t)(end - at));
        size_t plain = (size_t)((escape ? escape : end) - at);
        memcpy(to, at, plain);
        to += plain;
        at += plain;
        if (escape) at = unescape(at + 1, &to);
    }
    return (size_t)(to - start);
}

/* Write a string; there is room for what it takes as it is written. */
static void put_value(Bytes *to, const Value *value) {
    if (value->kind != STRING || !value->is_escaped) {
        put_string(to, value->at, value->kind == STRING ? value->size : 0);
        return;
    }
    put_byte(to, 0xDB);
    size_t size = read_text(value, to->at + to->size + 4);
    put_big_endian(to, size, 4);
    to->size += size;
}

static char low_of(char sign) {
    return sign >= 'A' && sign <= 'Z' ? (char)(sign | 0x20) : sign;
}

static bool is_alphanumeric(char sign) {
    char low = low_of(sign);
    return is_digit(sign) || (low >= 'a' && low <= 'z');
}

static bool is_between(char sign) { return sign == ' ' || sign == '\n'; }

/* Whether so many words of a text are surely left whatever cleaning takes away: words
   of letters and digits alone near its start, in a text that can hold no image.

   Stricter than threadmed.dataset.threads.clean.has_surely_words: it may say so of no
   text of which that does not. */
static bool has_surely_words(const char *text, size_t size, int least) {
    enum { LOOKED_AT = 120 };
    size_t shown = size < LOOKED_AT ? size : LOOKED_AT;
    for (size_t place = 0; place < shown && least > 0; place++) {
        size_t start = place;
        while (place < shown && is_alphanumeric(text[place])) place++;
        bool is_ended = place == size || (place < shown && is_between(text[place]));
        if (is_ended && place > start) least--;
        while (place < shown && !is_between(text[place])) place++;
    }
    if (least > 0 || memchr(text, ']', size)) return false;
    for (const char *at = text, *end = text + size;
         (at = memchr(at, '&', (size_t)(end - at))) != NULL; at++)
        if (at + 1 < end && at[1] == '#') return false; /* a bracket, perhaps */
    return true;
}

#endif
