"""A block store in memory, for tests of everything above a store."""

import time


class MemoryStore:
    """A store that lives as long as the process, and counts its round trips."""

    name = place = "memory"
    shared = False
    remote = False

    def __init__(self):
        self.held = {}
        self.written = {}
        self.trips = []  # mget and mset, in the order they were asked for

    def mget(self, ids):
        self.trips.append("mget")
        return {id: self.held[id] for id in ids if id in self.held}

    def mset(self, blocks):
        self.trips.append("mset")
        for id, data in blocks.items():
            self.held[id] = bytes(data)
            self.written[id] = time.time()

    def sizes(self, ids):
        return {id: len(self.held[id]) for id in ids if id in self.held}

    def stale(self, before):
        return {id: len(data) for id, data in self.held.items() if self.written[id] < before}

    def delete(self, ids, before):
        gone = [id for id in ids if id in self.held and self.written[id] < before]
        for id in gone:
            del self.held[id], self.written[id]
        return len(gone)

    def foreign(self, ids, heads):
        return {id: self.held[head + id] for id in ids for head in heads if head + id in self.held}
