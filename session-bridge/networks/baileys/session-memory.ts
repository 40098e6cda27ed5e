// What one session knows beyond its socket: it outlives reconnects and is gone with the process, so nothing in it is missed.
import type { ChatId } from "../../../src/protocol/ids.ts";
import { BoundedMap } from "./bounded-map.ts";
import { DEDUPE } from "./dedupe-keys.ts";
import { GroupCache } from "./group-cache.ts";
import { ReleaseOrder } from "./inbound/release-order.ts";
import { userOf } from "./jids.ts";
import { PhoneBook, type Own } from "./lids.ts";
import { IncomingMedia } from "./media.ts";
import { Numbers } from "./outbound/recipient.ts";
import { Sends } from "./outbound/sends.ts";
import { Polls } from "./polls.ts";
import type { SessionContext, SessionLink } from "./session-context.ts";

export type RingingCall = { from: string; at: number };

export type SessionMemory = {
  book: PhoneBook;
  groups: GroupCache;
  releases: ReleaseOrder;
  media: IncomingMedia;
  polls: Polls;
  sends: Sends;
  numbers: Numbers;
  /** Calls that ring: rejecting needs the address the offer came from. */
  ringing: BoundedMap<string, RingingCall>;
  /** Calls rejected through the API, whose end is no news (interface, Surface B rule 3). */
  rejectedHere: BoundedMap<string, true>;
  /** The last name seen for a person: only a change is news. */
  pushNames: BoundedMap<string, string>;
  /** Chats whose presence somebody asked to see. */
  watched: Set<ChatId>;
  /** Messages that could not be read yet, and their time limits. */
  unread: Map<string, NodeJS.Timeout>;
  profileName: string | null;
  /** The account's own identity, from the newest socket. */
  auth: SessionContext["auth"] | null;
};

const memories = new WeakMap<SessionLink, SessionMemory>();

export function memoryOf(link: SessionLink): SessionMemory {
  let memory = memories.get(link);
  if (!memory) memories.set(link, (memory = createMemory(link)));
  return memory;
}

function createMemory(link: SessionLink): SessionMemory {
  const own = ownIdentity();
  const memory: SessionMemory = {
    book: new PhoneBook({
      own: () => own(memory.auth),
      storedPhone: (lid) => link.rows.get(`lid-mapping|${lid}_reverse`)?.toString() ?? null,
      onMapped: (lid, phone) => link.emit([{ key: DEDUPE.lid(lid, phone), event: { type: "lid.mapped", lid, phone } }]),
    }),
    groups: new GroupCache(),
    releases: new ReleaseOrder(),
    media: new IncomingMedia(),
    polls: new Polls(),
    sends: new Sends(),
    numbers: new Numbers(),
    ringing: new BoundedMap(100),
    rejectedHere: new BoundedMap(100),
    pushNames: new BoundedMap(5_000),
    watched: new Set(),
    unread: new Map(),
    profileName: null,
    auth: null,
  };
  return memory;
}

/** Asked for with every jid that is read, so the answer is kept while the identity stays the same. */
function ownIdentity(): (auth: SessionContext["auth"] | null) => Own {
  let id: string | undefined;
  let lid: string | undefined;
  let own: Own = { phone: null, lid: null };
  return (auth) => {
    const me = auth?.creds.me;
    if (me?.id === id && me?.lid === lid) return own;
    [id, lid] = [me?.id, me?.lid];
    return (own = { phone: userOf(id), lid: userOf(lid) });
  };
}
