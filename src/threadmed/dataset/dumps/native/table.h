/* A table of byte strings, each with a number; open addressing, never removed from. */
#ifndef THREADMED_TABLE_H
#define THREADMED_TABLE_H

#include "text.h"

typedef struct {
    size_t start, size; /* of the key among the keys; size 0 where the place is free */
    int64_t value;
} Entry;

typedef struct {
    Entry *entries;
    size_t room, used; /* room is a power of two */
    Bytes keys;
} Table;

enum { FEWEST_ENTRIES = 64 };

static uint64_t mixed(uint64_t hash, uint64_t bytes) {
    hash = (hash ^ bytes) * 0x9E3779B97F4A7C15u; /* 2^64 by the golden ratio */
    return hash ^ hash >> 32;
}

static size_t hash_of(const char *key, size_t size) {
    uint64_t hash = mixed(0, size), bytes = 0;
    for (; size >= 8; size -= 8, key += 8) {
        memcpy(&bytes, key, 8);
        hash = mixed(hash, bytes);
    }
    bytes = 0;
    memcpy(&bytes, key, size);
    return (size_t)mixed(hash, bytes);
}

static Entry *entry_of(const Table *table, const char *key, size_t size) {
    size_t place = hash_of(key, size) & (table->room - 1);
    for (;; place = (place + 1) & (table->room - 1)) {
        Entry *entry = &table->entries[place];
        if (!entry->size) return entry;
        if (entry->size == size &&
            memcmp(table->keys.at + entry->start, key, size) == 0)
            return entry;
    }
}

/* The entry of a key, or NULL where there is none. */
static Entry *find(const Table *table, const char *key, size_t size) {
    if (!table->room || !size) return NULL;
    Entry *entry = entry_of(table, key, size);
    return entry->size ? entry : NULL;
}

static bool grow(Table *table) {
    Table larger = {.room = table->room ? table->room * 2 : FEWEST_ENTRIES};
    larger.entries = calloc(larger.room, sizeof(Entry));
    if (!larger.entries) return false;
    larger.keys = table->keys;
    for (size_t place = 0; place < table->room; place++) {
        Entry *entry = &table->entries[place];
        if (entry->size)
            *entry_of(&larger, table->keys.at + entry->start, entry->size) = *entry;
    }
    larger.used = table->used;
    free(table->entries);
    *table = larger;
    return true;
}

/* Give a key, which is not empty, a value; false where there is no memory. */
static bool set(Table *table, const char *key, size_t size, int64_t value) {
    if (table->used * 2 >= table->room && !grow(table)) return false;
    Entry *entry = entry_of(table, key, size);
    if (!entry->size) {
        if (!reserve(&table->keys, size)) return false;
        entry->start = table->keys.size;
        entry->size = size;
        put(&table->keys, key, size);
        table->used++;
    }
    entry->value = value;
    return true;
}

static void drop_table(Table *table) {
    free(table->entries);
    free(table->keys.at);
}

#endif
