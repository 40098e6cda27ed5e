// Photos that one person sent in a row are shown as one album, as on phones.

type Status = "pending" | "sent" | "delivered" | "read" | "played" | "failed";

type Photo = {
  message_id: string;
  from_me: boolean;
  from: string | null;
  push_name: string | null;
  type: string;
  text: string | null;
  media: { stored: boolean } | null;
  quoted: object | null;
  reactions: readonly object[];
  forwarded: boolean;
  starred: boolean;
  source: string | null;
  status: Status | null;
  deleted_at: string | null;
  at: string;
  outgoing?: object;
};

/** Fewer photos are more useful uncut. */
const LEAST = 3;
const APART_MS = 60_000;

/** Returns the messages in order, each alone or in an album. `firstNew` is a message that starts anew, because a line is shown above it. */
export function withAlbums<M extends Photo>(messages: readonly M[], firstNew: string | undefined): M[][] {
  const runs: M[][] = [];
  for (const message of messages) {
    const run = runs.at(-1);
    const before = run?.at(-1);
    if (run !== undefined && before !== undefined && message.message_id !== firstNew && isNext(message, before)) run.push(message);
    else runs.push([message]);
  }
  return runs.flatMap((run) => (run.length < LEAST ? run.map((message) => [message]) : [run]));
}

/** Only the first photo may have a text or a quote, which are shown once. */
function isNext(photo: Photo, before: Photo): boolean {
  const { text, quoted, from_me, from, push_name, forwarded, source, at } = photo;
  return (
    [photo, before].every(isPhoto) &&
    text === null &&
    quoted === null &&
    from_me === before.from_me &&
    from === before.from &&
    push_name === before.push_name &&
    forwarded === before.forwarded &&
    source === before.source &&
    Math.abs(Date.parse(at) - Date.parse(before.at)) <= APART_MS
  );
}

function isPhoto({ type, media, deleted_at, status, outgoing }: Photo): boolean {
  return type === "image" && media?.stored === true && deleted_at === null && status !== "failed" && outgoing === undefined;
}

const STATUSES: readonly (Status | null)[] = [null, "pending", "sent", "delivered", "read", "played"];

/** One message for the whole album, with the lowest status and the id of the newest photo. */
export function asOne<M extends Photo>(first: M, album: readonly M[]): M {
  const { message_id, at } = album.at(-1) ?? first;
  const status = STATUSES.find((each) => album.some((photo) => photo.status === each)) ?? null;
  const reactions = album.flatMap((photo) => photo.reactions);
  return { ...first, message_id, at, status, reactions, starred: album.some(({ starred }) => starred) };
}
