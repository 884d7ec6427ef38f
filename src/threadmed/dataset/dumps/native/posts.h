/* Posts: as threadmed.dataset.dumps.reddit.post_from makes them of a record. */
#ifndef THREADMED_POSTS_H
#define THREADMED_POSTS_H

#include "scanner.h"

enum {
    P_ID, P_TITLE, P_AUTHOR, P_SELFTEXT, P_SUBREDDIT, P_CREATED, P_RETRIEVED_ON,
    P_RETRIEVED_UTC, P_EDITED, P_SELF, P_GALLERY, P_HINT, P_DOMAIN, P_CATEGORY,
    P_REMOVAL, P_BANNED, P_DISTINGUISHED, P_STICKIED, P_COMMENTS, P_CROSSPOST, P_META,
    P_FIELDS,
};

static int post_field(const char *key, size_t size) {
    switch (size) {
    case 2: KEY("id", P_ID); break;
    case 5: KEY("title", P_TITLE); KEY("_meta", P_META); break;
    case 6: KEY("author", P_AUTHOR); KEY("edited", P_EDITED); KEY("domain", P_DOMAIN); break;
    case 7: KEY("is_self", P_SELF); break;
    case 8: KEY("selftext", P_SELFTEXT); KEY("stickied", P_STICKIED); break;
    case 9: KEY("subreddit", P_SUBREDDIT); KEY("post_hint", P_HINT); break;
    case 10: KEY("is_gallery", P_GALLERY); break;
    case 11: KEY("created_utc", P_CREATED); break;
    case 12: KEY("retrieved_on", P_RETRIEVED_ON); KEY("num_comments", P_COMMENTS); break;
    case 13:
        KEY("retrieved_utc", P_RETRIEVED_UTC);
        KEY("distinguished", P_DISTINGUISHED);
        KEY("banned_at_utc", P_BANNED);
        break;
    case 14: KEY("removal_reason", P_REMOVAL); break;
    case 19: KEY("removed_by_category", P_CATEGORY); break;
    case 21: KEY("crosspost_parent_list", P_CROSSPOST); break;
    }
    return -1;
}

static bool has_post_types(const Value *f) {
    return f[P_TITLE].kind == STRING && is_string_or_unset(&f[P_SELFTEXT]) &&
           is_string_or_unset(&f[P_AUTHOR]) && is_word_or_unset(&f[P_HINT]) &&
           is_word_or_unset(&f[P_DOMAIN]) && is_word_or_unset(&f[P_CATEGORY]) &&
           is_word_or_unset(&f[P_DISTINGUISHED]) && is_truth(&f[P_SELF]) &&
           is_truth(&f[P_GALLERY]) && is_truth(&f[P_STICKIED]) && is_unset(&f[P_REMOVAL]) &&
           is_unset(&f[P_BANNED]) && is_unset(&f[P_META]);
}

static bool is_host(const Value *domain, const char *host) {
    if (domain->kind != STRING || domain->size != strlen(host)) return false;
    for (size_t place = 0; place < domain->size; place++)
        if (low_of(domain->at[place]) != host[place]) return false;
    return true;
}

static const char *medium_of(const Value *f) {
    static const char *const hints[] = {"image", "hosted:video", "rich:video"};
    static const char *const hosts[] = {"i.redd.it", "v.redd.it", "imgur.com", "i.imgur.com"};
    if (f[P_GALLERY].kind == TRUE) return "image";
    for (size_t one = 0; one < sizeof hints / sizeof *hints; one++)
        if (is_text(&f[P_HINT], hints[one])) return "image";
    for (size_t one = 0; one < sizeof hosts / sizeof *hosts; one++)
        if (is_host(&f[P_DOMAIN], hosts[one])) return "image";
    return f[P_SELF].kind == FALSE ? "link" : "text";
}

/* Whether a subreddit is the one that is asked for, in whatever case; -1 where that
   cannot be said here. */
static int is_here(const Scanner *scanner, const Value *name) {
    if (is_unset(name)) return 1;
    if (name->kind != STRING || name->is_escaped) return -1;
    bool is_same = name->size == scanner->subreddit.size;
    for (size_t place = 0; place < name->size; place++) {
        char sign = name->at[place];
        if ((unsigned char)sign >= 0x80) return -1;
        is_same = is_same && low_of(sign) == scanner->subreddit.at[place];
    }
    return is_same;
}

typedef struct {
    const char *medium;
    uint32_t loss;
    int64_t created, retrieved, part;
    int edited, here;
    bool is_pinned, is_inside;
} Post;

/* Whether all that is said of a post is of the forms that nearly all have. */
static bool read_post(const Scanner *scanner, Value *f, Post *post) {
    enum { MOST_COMMENTS = 1 << 30 };
    Marker marker, title_marker;
    Value *stated = &f[P_COMMENTS];
    if (is_unset(stated)) *stated = (Value){.kind = WHOLE};
    post->created = time_in(&f[P_CREATED]);
    post->retrieved = retrieved_in(&f[P_RETRIEVED_ON], &f[P_RETRIEVED_UTC]);
    post->edited = edited_in(&f[P_EDITED]);
    post->here = is_here(scanner, &f[P_SUBREDDIT]);
    bool is_plain = post->here >= 0 && id_in(&f[P_ID]) && post->created >= 0 &&
                    post->retrieved > -2 && post->edited >= 0 && stated->kind == WHOLE &&
                    stated->whole < MOST_COMMENTS && stated->whole > -MOST_COMMENTS &&
                    read_author(&f[P_AUTHOR]) && read_marker(&f[P_SELFTEXT], &marker) &&
                    read_marker(&f[P_TITLE], &title_marker) && title_marker == NOT_LOST &&
                    (is_unset(&f[P_CROSSPOST]) || f[P_SELFTEXT].size);
    if (!is_plain) return false;
    post->loss = marker;
    if (!is_unset(&f[P_CATEGORY])) {
        /* An empty one is in no table, and goes the long way. */
        Entry *known = find(&scanner->categories, f[P_CATEGORY].at, f[P_CATEGORY].size);
        if (!known) return false;
        post->loss = (uint32_t)known->value;
    }
    post->medium = medium_of(f);
    post->is_pinned = is_notice(&f[P_DISTINGUISHED], &f[P_STICKIED]);
    post->is_inside =
        scanner->window_start <= post->created && post->created < scanner->window_end;
    post->part = part_of(scanner, f[P_ID].at, f[P_ID].size);
    return true;
}

/* Write what msgspec reads as threadmed.dataset.dumps.reddit.Post. */
static bool write_post(Scanner *scanner, const Value *f, const Post *post) {
    static const Value nothing = {.kind = NOTHING};
    PostRow row = {.id = id_in(&f[P_ID]), .created = post->created, .loss = post->loss};
    const char *loss = loss_name(scanner, post->loss);
    bool has_words = !loss && post->is_inside, is_nameless = !f[P_AUTHOR].size;
    bool bot = is_bot(scanner, &f[P_AUTHOR]);
    const Value *title = has_words ? &f[P_TITLE] : &nothing;
    const Value *body = has_words ? &f[P_SELFTEXT] : &nothing;
    size_t strings = f[P_ID].size + f[P_AUTHOR].size + title->size + body->size +
                     strlen(post->medium) + (loss ? strlen(loss) : 0);
    size_t room = 1 + 7 * HEAD + strings + 3 * WHOLE_SIZE + 2;
    Bytes *to = room_in(scanner, post->part, room, sizeof row);
    if (!to) return false;
    size_t begin = to->size;
    put_byte(to, LIST_OF_TWELVE);
    put_string(to, f[P_ID].at, f[P_ID].size);
    put_whole(to, post->created);
    put_string(to, f[P_AUTHOR].at, f[P_AUTHOR].size);
    put_value(to, title);
    size_t before = to->size, size;
    put_value(to, body);
    const char *text = text_written(to, before, &size);
    /* As no rule of threadmed.dataset.threads.clean can drop it. */
    bool is_plain = has_words && !post->is_pinned && !is_nameless && !bot &&
                    has_surely_words(text, size, scanner->least_words);
    put_text(to, post->medium);
    put_truth(to, post->is_pinned);
    put_truth(to, post->edited);
    put_loss(to, loss);
    put_whole(to, post->retrieved);
    put_text(to, "");
    put_whole(to, f[P_COMMENTS].whole);
    row.flags = (is_plain ? POST_PLAIN : 0) | (post->edited ? POST_EDITED : 0) |
                (bot ? POST_BOT : 0) | (post->is_pinned ? POST_NOTICE : 0) |
                (is_nameless ? POST_NAMELESS : 0);
    row.size = (uint32_t)(to->size - begin);
    keep_row(scanner, post->part, &row, sizeof row);
    return true;
}

/* In the order of threadmed.dataset.passes.collect.PostPass. */
static Outcome take_post(Scanner *scanner, Value *f) {
    Post post;
    if (!has_post_types(f) || !read_post(scanner, f, &post)) return ODD;
    if (!post.here) return ELSEWHERE;
    if (!scanner->is_any_post_wanted && !find(&scanner->wanted, f[P_ID].at, f[P_ID].size))
        return PASSED;
    return write_post(scanner, f, &post) ? TAKEN : ODD;
}

#endif
