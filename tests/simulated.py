"""An independent simulation of the same stages, on simpy: one process a request.

Its shared link is written another way: it keeps the work left of each transfer and takes it down
whenever one joins or leaves. Times may be fractions, which stay exact.
"""

import simpy


class SharedLink:
    """A link that gives each transfer in flight the same share of its rate."""

    def __init__(self, env):
        self.env, self.left, self.since, self.version = env, {}, env.now, 0

    def send(self, seconds):
        self._take_down()
        done = self.env.event()
        self.left[done] = seconds
        self._wake()
        return done

    def _take_down(self):
        if self.left:
            share = (self.env.now - self.since) / len(self.left)
            self.left = {done: left - share for done, left in self.left.items()}
        self.since = self.env.now

    def _wake(self):
        self.version += 1
        if self.left:
            delay = min(self.left.values()) * len(self.left)
            self.env.process(self._later(delay, self.version))

    def _later(self, delay, version):
        yield self.env.timeout(delay)
        if version == self.version:
            self._take_down()
            least = min(self.left.values())
            gone = [done for done, left in self.left.items() if left == least]
            for done in gone:
                del self.left[done]
                done.succeed()
            self._wake()


def simulated(arrivals, prefill, transfer, decode, held, stations, early=None, delay=None, start=0):
    """Return rows: start and end of prefill, reservation, start and end of transfer, decode."""
    env = simpy.Environment(start)
    workers = simpy.Resource(env, stations.prefill_servers)
    slots = simpy.Resource(env, stations.decode_servers)
    wire = simpy.Resource(env, 1) if stations.link == "one at a time" else SharedLink(env)
    room = None
    if stations.memory is not None:
        room = simpy.Container(env, stations.memory, init=stations.memory)
    rows = [[] for _ in arrivals]
    early, delay = early or [0] * len(rows), delay or [0] * len(rows)

    def request(i):
        yield env.timeout(arrivals[i] - start)
        row = rows[i]
        with workers.request() as worker:
            yield worker
            row.append(env.now)
            row.append(env.now + prefill[i])
            env.process(hand_off(i))
            yield env.timeout(prefill[i])

    def hand_off(i):
        row = rows[i]
        yield env.timeout(prefill[i] - early[i])
        if room is not None:
            yield room.get(held[i])
        row.append(env.now)
        if stations.link == "shared":
            row.append(env.now)
            yield wire.send(transfer[i])
        else:
            with wire.request() as turn:
                yield turn
                row.append(env.now)
                yield env.timeout(transfer[i])
        row.append(env.now)
        yield env.timeout(delay[i])
        with slots.request() as slot:
            yield slot
            row.append(env.now)
            yield env.timeout(decode[i])
        if room is not None:
            yield room.put(held[i])

    for i in range(len(arrivals)):
        env.process(request(i))
    env.run()
    return rows
