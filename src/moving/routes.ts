// `/move/*` lets `npm run export` and `npm run import` move connections to and from this gateway. MOVE_SECRET authorizes them.
import { hash, timingSafeEqual } from "node:crypto";
import { type Context, Hono } from "hono";
import * as z from "zod";
import { isMediaToken, mediaKey, MEDIA_PREFIX, mediaPrefixOf } from "@gateway/domain/media/media-link.ts";
import { type Departing, refusalOf } from "@gateway/domain/moving/departing.ts";
import { readSecrets } from "@gateway/domain/keys/secrets.ts";
import {
  ACCOUNT,
  COLUMNS,
  type ConnectionRow,
  listStatements,
  markMoved,
  markPending,
  ownerOf,
  PRESENT,
  type Statement,
} from "@gateway/domain/moving/listed-connection.ts";
import { mergedSecret } from "@gateway/domain/moving/merged-secret.ts";
import { type Env, settingsOf } from "../env.ts";
import type { AppEnv } from "../http/app-env.ts";
import { log } from "../log.ts";
import { type Arrival, type DataKey, IN_USE, KNOWN_SCHEMA, type Whereabouts } from "./object.ts";

const MIN_SECRET = 32;

export type MovingEnv = Env & { MOVE_SECRET?: string };
type MovingContext = Context<AppEnv & { Bindings: MovingEnv }>;

const Departure = z.object({ target: z.string().min(1) });
const Arriving = z.object({
  id: z.uuid(),
  owner: z.string().nullable(),
  parts: z.int(),
  keys: z.array(z.object({ name: z.string(), key: z.base64() })),
  connection: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
  key_secret: z.string(),
  departing: z.object({ bytes: z.int().nullable(), schema: z.record(z.string(), z.int()), moves: z.array(z.string()) }),
});
const Cancelling = z.object({ id: z.uuid(), moves: z.array(z.string()) });
const Metadata = z.object({ http: z.record(z.string(), z.unknown()), custom: z.record(z.string(), z.string()) });

/** JSON of `Metadata`, percent-encoded as in a URL, because metadata may contain any characters. */
const METADATA = "x-file-metadata";

type MovingStub = {
  whereabouts(): Promise<Whereabouts>;
  hasArrived(id: string): Promise<boolean>;
  departing(): Promise<Departing>;
  described(): Promise<{ name: string; settings: string }>;
  cancel(id: string, moves: readonly string[]): Promise<boolean>;
  putPart(number: number, bytes: Uint8Array): Promise<void>;
  part(number: number): Promise<Uint8Array | null>;
  dropParts(): Promise<void>;
  arrive(arrival: Arrival): Promise<{ ok: true } | { ok: false; problem: string }>;
  depart(id: string, target: string): Promise<{ ok: true } | { ok: false; problem: string }>;
  dataKeys(uuid: string): Promise<DataKey[]>;
};

export function moveRoutes(): Hono<AppEnv & { Bindings: MovingEnv }> {
  const routes = new Hono<AppEnv & { Bindings: MovingEnv }>();
  routes.use("*", async (c, next) => {
    c.get("facts").route = "/move";
    return isAuthorized(c) ? next() : problem(c, 401, "MOVE_SECRET: the gateway has another one, or none");
  });
  routes.get("/migrations", async (c) => {
    const { results } = await c.env.DB.prepare("SELECT name FROM d1_migrations ORDER BY name").all<{ name: string }>();
    return c.json(results.map(({ name }) => name));
  });
  routes.get("/:connection", find);
  routes.post("/:connection/departure", depart);
  routes.post("/:connection/arrival", arrive);
  routes.post("/:connection/cancellation", async (c) => {
    const { id, moves } = Cancelling.parse(await c.req.json());
    return c.json({ isCancelled: await stubOf(c).cancel(id, moves) });
  });
  routes.put("/:connection/parts/:number", async (c) => {
    await stubOf(c).putPart(Number(c.req.param("number")), new Uint8Array(await c.req.raw.arrayBuffer()));
    return c.body(null, 204);
  });
  routes.get("/:connection/parts/:number", async (c) => {
    const part = await stubOf(c).part(Number(c.req.param("number")));
    return part === null ? problem(c, 404, "there is no such part") : c.body(new Uint8Array(part));
  });
  routes.delete("/:connection/parts", async (c) => {
    await stubOf(c).dropParts();
    return c.body(null, 204);
  });
  routes.get("/:connection/media", async (c) => c.json(await mediaOf(c.env.MEDIA, c.req.param("connection"))));
  routes.get("/:connection/media/:token", async (c) => {
    const file = await c.env.MEDIA.get(keyOf(c));
    if (file === null) return problem(c, 404, "there is no such file");
    const { httpMetadata: http = {}, customMetadata: custom = {} } = file;
    return c.body(file.body, 200, { [METADATA]: encodeURIComponent(JSON.stringify({ http, custom })) });
  });
  routes.put("/:connection/media/:token", async (c) => {
    const { http, custom } = Metadata.parse(JSON.parse(decodeURIComponent(c.req.header(METADATA) ?? "{}")));
    await c.env.MEDIA.put(keyOf(c), c.req.raw.body, { httpMetadata: http, customMetadata: custom });
    return c.body(null, 204);
  });
  routes.onError((error, c) => (error instanceof z.ZodError ? problem(c, 422, fieldsOf(error)) : problem(c, 500, error.message)));
  return routes;
}

function isAuthorized(c: MovingContext): boolean {
  const { MOVE_SECRET: secret = "" } = c.env;
  const digest = (text: string) => hash("sha256", text, "buffer");
  return secret.length >= MIN_SECRET && timingSafeEqual(digest(`Bearer ${secret}`), digest(c.req.header("authorization") ?? ""));
}

const problem = (c: Context, status: 401 | 404 | 409 | 422 | 500, text: string) => c.json({ problem: text }, status);

const fieldsOf = ({ issues }: z.ZodError) => issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; ");

const namedStub = (env: Env, uuid: string) => env.CONNECTION.getByName(z.uuid().parse(uuid)) as unknown as MovingStub;
const stubOf = (c: MovingContext) => namedStub(c.env, c.req.param("connection") ?? "");

/** `connection` is an id or a UUID. This request changes nothing. */
async function find(c: MovingContext): Promise<Response> {
  const row = await rowNamed(c, "uuid = ?1 OR CAST(id AS TEXT) = ?1");
  if (row instanceof Response) return row;
  const stub = namedStub(c.env, row.uuid);
  const { away } = await stub.whereabouts();
  return c.json({ uuid: row.uuid, name: row["name"], away, departing: await stub.departing() });
}

type Named = ConnectionRow & { uuid: string };

async function rowNamed(c: MovingContext, condition: string): Promise<Named | Response> {
  const named = c.req.param("connection") ?? "";
  const row = await c.env.DB.prepare(`SELECT * FROM connection WHERE ${condition}`).bind(named).first<Named>();
  const isGone = row === null || (row["removed_at"] !== null && (await namedStub(c.env, row.uuid).whereabouts()).parts === 0);
  if (isGone) return problem(c, 404, `there is no connection ${named}`);
  return row["kind"] === "session" ? row : problem(c, 409, "only paired numbers can move; create the Cloud API number again");
}

/** `connection` is a UUID, because the same id may belong to another connection in the gateway that sends the request. */
async function depart(c: MovingContext): Promise<Response> {
  const { target } = Departure.parse(await c.req.json());
  const row = await rowNamed(c, "uuid = ?1");
  if (row instanceof Response) return row;
  const { uuid } = row;
  const stub = namedStub(c.env, uuid);
  let { away } = await stub.whereabouts();
  if (away === null) {
    const refused = refusalOf(await stub.departing(), KNOWN_SCHEMA);
    if (refused !== null) return problem(c, 409, refused);
    await written(c, markPending(uuid));
    const departed = await restarted(stub.depart(crypto.randomUUID(), target));
    if (departed !== null) return problem(c, 409, departed);
    ({ away } = await namedStub(c.env, uuid).whereabouts());
  }
  if (away === null) return problem(c, 500, "the connection did not leave; repeat the command");
  if (away.target !== target) return problem(c, 409, `the connection has moved to ${away.target}; only that gateway can have it`);
  await written(c, markMoved(uuid));
  const { parts } = await namedStub(c.env, uuid).whereabouts();
  if (parts === 0) return problem(c, 409, `the connection has moved to ${target}, and its copy here was deleted`);
  log("connection.departed", { connection: uuid, target, address: addressOf(c) });
  return c.json({
    id: away.id,
    uuid,
    // If the connection was deleted here after it moved away, its name and settings come from the object.
    connection: row["removed_at"] === null ? row : { ...row, ...(await namedStub(c.env, uuid).described()), removed_at: null },
    parts,
    keys: await namedStub(c.env, uuid).dataKeys(uuid),
    key_secret: c.env.KEY_SECRET,
    media: await mediaOf(c.env.MEDIA, uuid),
  });
}

async function arrive(c: MovingContext): Promise<Response> {
  const { id, owner: email, parts, keys, connection, key_secret: theirs, departing } = Arriving.parse(await c.req.json());
  const uuid = c.req.param("connection") ?? "";
  const { DB } = c.env;
  const present = await DB.prepare(PRESENT).bind(uuid).first();
  const account = email === null ? null : await DB.prepare(ACCOUNT).bind(email).first();
  const owner = ownerOf(present, account, email);
  if (!owner.ok) return problem(c, 409, owner.problem);
  const stub = stubOf(c);
  const { away, isUsed, hasSession } = await stub.whereabouts();
  const isHere = away === null && (await stub.hasArrived(id));
  if (!isHere) {
    if (away === null && isUsed) return problem(c, 409, "the gateway already has the connection");
    if (hasSession) return problem(c, 409, IN_USE);
    const refused = refusalOf(departing, KNOWN_SCHEMA);
    if (refused !== null) return problem(c, 409, refused);
    if (away !== null && (away.id === id || !departing.moves.includes(away.id)))
      return problem(c, 409, "the connection has moved on since; move it from the gateway that has it now");
    if (parts === 0) return c.json({ isFree: true });
    const failed = await restarted(stub.arrive({ uuid, id, parts, keys }));
    if (failed !== null) return problem(c, 409, failed);
    if (!(await stubOf(c).hasArrived(id))) return problem(c, 500, "the connection did not arrive; repeat the command");
  }
  const columns = (await DB.prepare(COLUMNS).all<{ name: string }>()).results.map(({ name }) => name);
  await written(c, ...listStatements({ uuid, connection, owner, columns, now: Date.now() }));
  log("connection.arrived", { connection: uuid, move: id, address: addressOf(c) });
  const other = readSecrets(theirs);
  if (!other.ok) return problem(c, 422, `KEY_SECRET: ${other.problem}`);
  return c.json({ isFree: false, ...mergedSecret(settingsOf(c.env).KEY_SECRET, other.secrets) });
}

const addressOf = (c: MovingContext) => c.req.header("cf-connecting-ip") ?? "unknown";

/** Throws if this connection cannot have a file with this name. */
function keyOf(c: MovingContext): string {
  const key = mediaKey(c.req.param("token") ?? "");
  const day = key.slice(0, key.indexOf("/", MEDIA_PREFIX.length) + 1);
  if (!isMediaToken(c.req.param("token") ?? "") || !key.startsWith(mediaPrefixOf(c.req.param("connection") ?? "", day)))
    throw new Error("the connection has no such file");
  return key;
}

async function written({ env: { DB } }: MovingContext, ...statements: Statement[]): Promise<void> {
  await DB.batch(statements.map(({ sql, values }) => DB.prepare(sql).bind(...values)));
}

/** Returns null if the object restarted, because a restart makes the call fail. */
async function restarted(call: Promise<{ ok: true } | { ok: false; problem: string }>): Promise<string | null> {
  try {
    const done = await call;
    return done.ok ? null : done.problem;
  } catch {
    return null;
  }
}

async function mediaOf(bucket: R2Bucket, uuid: string): Promise<string[]> {
  const { delimitedPrefixes: days } = await bucket.list({ prefix: MEDIA_PREFIX, delimiter: "/" });
  const names: string[] = [];
  for (const day of days) {
    for (let cursor: string | undefined, more = true; more;) {
      const listed = await bucket.list({ prefix: mediaPrefixOf(uuid, day), ...(cursor === undefined ? {} : { cursor }) });
      names.push(...listed.objects.map(({ key }) => key.slice(day.length)));
      more = listed.truncated;
      cursor = listed.truncated ? listed.cursor : undefined;
    }
  }
  return names;
}
