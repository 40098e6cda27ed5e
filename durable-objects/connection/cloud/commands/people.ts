import * as z from "zod";
import { fail, succeed, type Outcome } from "@gateway/protocol/failures.ts";
import { personOf } from "@gateway/protocol/ids.ts";
import type { BusinessProfile, StoredPicture } from "@gateway/protocol/people.ts";
import { sniffMediaType } from "@gateway/domain/media/sniff.ts";
import { mediaKey } from "@gateway/domain/media/media-link.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";
import type { GraphError, Graph } from "../graph.ts";
import { GraphErrors, graphPerson, Listed, Paging, readAll, maybeText } from "./responses.ts";
import { askNumber, DONE, type GraphCommands, PRODUCT, refused, report, Success, unanswered, userOf, type CloudContext } from "./asking.ts";
import { storeUnmeasured } from "#root/src/services/media/store.ts";

const BLOCKED_PAGE_SIZE = 1_000;
const MAX_BLOCKED_PAGES = 65;

const BlockedPage = z.looseObject({ data: z.array(Listed), paging: Paging });
const BlockResponse = z.looseObject({
  block_users: z.looseObject({
    added_users: z.array(Listed).optional(),
    removed_users: z.array(Listed).optional(),
    failed_users: z.array(z.looseObject({ errors: GraphErrors })).optional(),
  }),
});

const USE_OF_BLOCK = { command: "contacts.block", errorIn: failedUser } as const;

export const peopleCommands: GraphCommands<"contacts.blocked" | "contacts.block" | "calls.reject"> = {
  "contacts.blocked": async (_, context) => {
    const blocked = await readAll(
      MAX_BLOCKED_PAGES,
      async (query) => {
        const call = { method: "GET", path: "/block_users", query } as const;
        const page = await askNumber(context, { command: "contacts.blocked" }, call, BlockedPage);
        return page.ok ? succeed({ items: page.value.data, paging: page.value.paging }) : page;
      },
      BLOCKED_PAGE_SIZE,
    );
    if (!blocked.ok) return blocked;
    return succeed({ persons: blocked.value.flatMap((who) => graphPerson(context.ids, who) ?? []) });
  },

  "contacts.block": async ({ contact_id, blocked }, context) => {
    const user = userOf(context, contact_id);
    if (user === null) return fail("number_not_on_network");
    const call = { method: blocked ? "POST" : "DELETE", path: "/block_users", json: { ...PRODUCT, block_users: [{ user }] } } as const;
    const result = await askNumber(context, USE_OF_BLOCK, call, BlockResponse);
    if (!result.ok) return result;
    const error = failedUser(result.value);
    if (error !== undefined) return refused(context, USE_OF_BLOCK, error);
    const { added_users: added, removed_users: removed } = result.value.block_users;
    const who = (blocked ? added : removed)?.[0];
    if (who === undefined) return unanswered("contacts.block");
    const person = graphPerson(context.ids, who) ?? personOf(contact_id);
    if (person !== null) report(context, { type: "contact.updated", person, is_blocked: blocked });
    return DONE;
  },

  "calls.reject": async ({ call_id }, context) => {
    const json = { ...PRODUCT, call_id, action: "reject" };
    const use = { command: "calls.reject", of: "call" } as const;
    const rejected = await askNumber(context, use, { method: "POST", path: "/calls", json }, Success);
    return rejected.ok ? DONE : rejected;
  },
};

/** Why a person could not be blocked. Reads the person's own error, because the response's top-level error is generic. */
function failedUser(json: unknown): GraphError | undefined {
  const read = BlockResponse.safeParse(json);
  return read.success ? read.data.block_users.failed_users?.[0]?.errors[0] : undefined;
}

const PATH = "/whatsapp_business_profile";
const FIELDS = "about,address,description,email,profile_picture_url,websites,vertical";

const fields = z.looseObject({
  about: maybeText,
  address: maybeText,
  description: maybeText,
  email: maybeText,
  profile_picture_url: maybeText,
  vertical: maybeText,
  websites: z.array(z.string()).nullish().catch([]),
});
/** Accepts both forms, because Meta's API specification nests the fields one level deeper than its guides. */
const ProfileResponse = z.looseObject({
  data: z.array(z.union([z.looseObject({ business_profile: fields }).transform((one) => one.business_profile), fields])).min(1),
});
const NameResponse = z.looseObject({ verified_name: maybeText });

export const profileCommands: GraphCommands<"profile.get" | "profile.about" | "profile.picture"> = {
  "profile.get": async (_, context) => {
    const use = { command: "profile.get" } as const;
    const [profile, name] = await Promise.all([
      askNumber(context, use, { method: "GET", path: PATH, query: { fields: FIELDS } }, ProfileResponse),
      askNumber(context, use, { method: "GET", path: "", query: { fields: "verified_name" } }, NameResponse),
    ]);
    if (!profile.ok) return profile;
    if (!name.ok) return name;
    const verified = name.value.verified_name;
    if (verified && verified !== context.instance.state.profileName) report(context, { type: "profile.updated", name: verified });
    const [read] = profile.value.data;
    const picture = read?.profile_picture_url ? await context.files.copyPicture(read.profile_picture_url) : null;
    if (picture?.ok === false) return picture;
    const business: BusinessProfile = {
      description: read?.description ?? null,
      email: read?.email ?? null,
      websites: read?.websites ?? [],
      address: read?.address ?? null,
      category: read?.vertical ?? null,
    };
    return succeed({ about: read?.about ?? null, picture: picture?.value ?? null, business });
  },

  "profile.about": async ({ about }, context) => {
    if (about === "") return fail("limit_of_kind", { details: { kind: "cloud_api", field: "about" } });
    return change(context, "profile.about", { about });
  },

  "profile.picture": async ({ picture }, context) => {
    if (picture === null) return fail("not_supported", { details: { kind: "cloud_api", field: "picture" } });
    const handle = await context.files.uploadHandle(picture);
    return handle.ok ? change(context, "profile.picture", { profile_picture_handle: handle.value }) : handle;
  },
};

async function change(
  context: CloudContext,
  command: "profile.about" | "profile.picture",
  changed: object,
): Promise<Outcome<Record<string, never>>> {
  const result = await askNumber(context, { command }, { method: "POST", path: PATH, json: { ...PRODUCT, ...changed } }, Success);
  return result.ok ? DONE : result;
}

// The number's profile picture. It is copied to our storage, because Meta's URLs must not reach customers.
type OwnPictureDependencies = {
  bucket: R2Bucket;
  graph: Pick<Graph, "bytes">;
  connection: () => { uuid: string; retentionMs: number } | null;
  clock?: () => number;
};

/** An unchanged picture is not copied again within this time, because links to copies are valid for days. */
const REUSE_MS = DAY_MS;
const MAX_BYTES = 5 * 1024 * 1024;
const TIMEOUT_MS = 15_000;

export class OwnPicture {
  readonly #deps: OwnPictureDependencies;
  readonly #clock: () => number;
  /** `path` is the URL without its signature, which identifies the picture. */
  #copied: { path: string; picture: StoredPicture } | null = null;

  constructor(deps: OwnPictureDependencies) {
    this.#deps = deps;
    this.#clock = deps.clock ?? (() => Date.now());
  }

  /** Fails with `network_error` when the picture cannot be fetched, or with `unavailable` when it cannot be stored. */
  async copy(url: string): Promise<Outcome<StoredPicture>> {
    const path = URL.parse(url)?.pathname;
    if (path === undefined) return fail("network_error");
    const known = this.#copied;
    if (known?.path === path && this.#clock() - known.picture.stored_at < REUSE_MS) return succeed(known.picture);
    const picture = await this.#store(url);
    if (picture.ok) this.#copied = { path, picture: picture.value };
    return picture;
  }

  async #store(url: string): Promise<Outcome<StoredPicture>> {
    const { bucket, connection, graph } = this.#deps;
    const fetched = await graph.bytes(url, TIMEOUT_MS);
    const body = fetched.kind === "answered" ? fetched.response.body : null;
    const owner = connection();
    if (body === null || owner === null) {
      await body?.cancel().catch(() => undefined);
      return fail("network_error");
    }
    const now = this.#clock();
    const typeOf = (head: Uint8Array): Outcome<string> => {
      const type = sniffMediaType(head);
      return type?.startsWith("image/") === true ? succeed(type) : fail("network_error");
    };
    const media = { connection: owner.uuid, filename: null, expiresAt: now + owner.retentionMs, typeOf, maxBytes: MAX_BYTES };
    const tooLarge = { code: "network_error" } as const;
    const stored = await storeUnmeasured(bucket, { ...media, tooLarge }, body, AbortSignal.timeout(TIMEOUT_MS));
    if (!stored.ok) return stored.failure.code === "unavailable" ? stored : fail("network_error");
    const { token, mimetype, sizeBytes: size } = stored.value;
    // The connection may have been removed during the copy, after its removal listed the files.
    if (connection() === null) await bucket.delete(mediaKey(token)).catch(() => undefined);
    const file = { token, mimetype, filename: null, size, sha256: null, duration_seconds: null, width: null, height: null };
    return succeed({ media: file, stored_at: now });
  }
}
