// A cloud number's Graph requests for its groups, and how it learns the outcome.
import { describe, expect, it, vi } from "vitest";
import { ana, bia, T0 } from "../store/world.ts";
import { type CommandWorld, GROUP_ID, NUMBER, PHONE, refusal, withCommands } from "./command-world.ts";

const OWN = { phone: PHONE, lid: null };
const AT = `/${GROUP_ID}`;
const PRODUCT = { messaging_product: "whatsapp" };
const done = { ok: true, value: {} };

/** A group known to the number. */
const inGroup = <T>(run: (world: CommandWorld & { group: string }) => T | Promise<T>) =>
  withCommands((world) => run({ ...world, group: world.ids.group(GROUP_ID) }));

const info = (change: object = {}) => ({
  ...PRODUCT,
  id: GROUP_ID,
  subject: "Equipe",
  description: "Avisos",
  join_approval_mode: "approval_required",
  suspended: false,
  creation_timestamp: String(T0),
  participants: [{ wa_id: ana.phone }],
  total_participant_count: 1,
  ...change,
});

describe("a group", () => {
  it("is read with its participants, and the number as its administrator", () =>
    inGroup(async ({ answers, asked, group, run }) => {
      answers.push(info());
      expect(await run("groups.get", { group_id: group })).toEqual({
        ok: true,
        value: {
          group_id: group,
          subject: "Equipe",
          description: "Avisos",
          owner: OWN,
          created_at: T0,
          community_id: null,
          is_announcement_group: false,
          settings: {
            messages_admins_only: false,
            info_admins_only: true,
            members_can_add: false,
            join_approval: true,
            disappearing_seconds: 0,
          },
          participants: [
            { person: OWN, role: "superadmin" },
            { person: ana, role: "member" },
          ],
        },
      });
      const fields = "id,subject,description,join_approval_mode,suspended,creation_timestamp,participants,total_participant_count";
      expect(asked).toEqual([{ method: "GET", path: AT, query: { fields }, json: null }]);
    }));

  it("reports its total size even if not all participants are listed", () =>
    inGroup(async ({ answers, group, run }) => {
      answers.push(info({ total_participant_count: 7 }));
      expect(await run("groups.get", { group_id: group })).toMatchObject({ ok: true, value: { size: 8 } });
    }));

  it("is not requested if it is unknown, and is not found if it was deleted", () =>
    inGroup(async ({ answers, asked, group, run }) => {
      const missing = { ok: false, failure: { code: "group_not_found" } };
      expect(await run("groups.get", { group_id: "120363000000000009@g.us" })).toEqual(missing);
      expect(asked).toEqual([]);
      answers.push(refusal(100));
      expect(await run("groups.get", { group_id: group })).toMatchObject(missing);
    }));
});

describe("the list of groups", () => {
  it("reads new and renamed groups, and reports them", () =>
    inGroup(async ({ answers, asked, group, reported, run, stores }) => {
      answers.push({
        data: { groups: [{ id: GROUP_ID, subject: "Equipe", created_at: T0 }] },
        paging: { cursors: { before: "b", after: "a" } },
      });
      answers.push(info());
      expect(await run("groups.refresh", {})).toEqual({ ok: true, value: { group_ids: [group] } });
      expect(asked.map(({ path }) => path)).toEqual([`/${NUMBER}/groups`, AT]);
      expect(reported.map(({ type }) => type)).toEqual(["group.snapshot"]);
      expect(stores.groups.get(group)).toMatchObject({ subject: "Equipe", my_role: "superadmin", size: 2 });

      answers.push({ data: { groups: [{ id: GROUP_ID, subject: "Equipe" }] } });
      expect(await run("groups.refresh", {})).toEqual({ ok: true, value: { group_ids: [group] } });
      expect(asked).toHaveLength(3);
      answers.push({ data: { groups: [{ id: GROUP_ID, subject: "Time" }] } }, info({ subject: "Time" }));
      await run("groups.refresh", {});
      expect(stores.groups.get(group)?.subject).toBe("Time");
    }));

  it("fails if one of its groups cannot be read", () =>
    inGroup(async ({ answers, run }) => {
      answers.push({ data: { groups: [{ id: GROUP_ID, subject: "Equipe" }] } }, refusal(4));
      expect(await run("groups.refresh", {})).toMatchObject({ ok: false, failure: { code: "network_rate_limited" } });
    }));
});

describe("a new group", () => {
  const create = { subject: "Equipe", participants: [], description: "Avisos", join_approval: true };

  it("is requested, and stays a request until the network has created it", () =>
    withCommands(async ({ answers, asked, run }) => {
      answers.push({ ...PRODUCT, request_id: "R1" }, { ...PRODUCT, request_id: 2 });
      expect(await run("groups.create", create)).toEqual({ ok: true, value: { request_id: "R1" } });
      expect(await run("groups.create", { subject: "B", participants: [], description: null, join_approval: null })).toEqual({
        ok: true,
        value: { request_id: "2" },
      });
      expect(asked).toEqual([
        {
          method: "POST",
          path: `/${NUMBER}/groups`,
          query: {},
          json: { ...PRODUCT, subject: "Equipe", description: "Avisos", join_approval_mode: "approval_required" },
        },
        { method: "POST", path: `/${NUMBER}/groups`, query: {}, json: { ...PRODUCT, subject: "B" } },
      ]);
    }));

  it("must have no participants, because people join by its link", () =>
    withCommands(async ({ asked, run }) => {
      expect(await run("groups.create", { ...create, participants: [ana] })).toMatchObject({
        ok: false,
        failure: { code: "limit_of_kind", details: { field: "participants" } },
      });
      expect(asked).toEqual([]);
    }));

  it("may exist if Graph does not respond", () =>
    withCommands(async ({ answers, run }) => {
      expect(await run("groups.create", create)).toEqual({ ok: false, failure: { code: "send_outcome_unknown" } });
      answers.push({ ...PRODUCT });
      expect(await run("groups.create", create)).toEqual({ ok: false, failure: { code: "send_outcome_unknown" } });
      answers.push(refusal(131_201));
      expect(await run("groups.create", create)).toMatchObject({ ok: false, failure: { code: "not_group_admin", attempted: true } });
    }));
});

describe("a change of a group", () => {
  it.each([
    ["name", "groups.subject", { subject: "Time" }, { subject: "Time" }],
    ["description", "groups.description", { description: "Novo" }, { description: "Novo" }],
    ["description that is removed", "groups.description", { description: null }, { description: "" }],
  ] as const)("is complete as soon as Graph confirms it: %s", (_, command, change, json) =>
    inGroup(async ({ answers, asked, group, run }) => {
      answers.push({ success: true });
      expect(await run(command, { group_id: group, ...change } as never)).toEqual(done);
      expect(asked).toEqual([{ method: "POST", path: AT, query: {}, json: { ...PRODUCT, ...json } }]);
    }),
  );

  it("waits for the webhook's result if Graph returns a request, even if the result arrives first", () =>
    inGroup(async ({ answers, group, groupRequests, run }) => {
      const subject = { group_id: group, subject: "Time" };
      answers.push(() => {
        groupRequests.settle("R1", { errors: [], failed: [] });
        return { ...PRODUCT, request_id: "R1" };
      });
      expect(await run("groups.subject", subject)).toEqual(done);

      answers.push({ ...PRODUCT, request_id: "R2" });
      const second = run("groups.subject", subject);
      await vi.waitFor(() => expect(answers).toEqual([]));
      groupRequests.settle("R2", { errors: [{ code: 131_204, subcode: null, type: null, traceId: null }], failed: [] });
      expect(await second).toMatchObject({ ok: false, failure: { code: "not_group_admin", details: { network_code: 131_204 } } });
    }));

  it("does not succeed without a result", () =>
    inGroup(async ({ answers, group, run }) => {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      try {
        answers.push({ ...PRODUCT, request_id: "R1" });
        const changed = run("groups.subject", { group_id: group, subject: "Time" });
        let ended = false;
        void changed.then(() => (ended = true));
        await vi.advanceTimersByTimeAsync(9_900);
        expect(ended).toBe(false);
        await vi.advanceTimersByTimeAsync(200);
        expect(await changed).toEqual({ ok: false, failure: { code: "network_timeout" } });
      } finally {
        vi.useRealTimers();
      }
    }));

  it("accepts only a JPEG file as the picture", () =>
    inGroup(async ({ answers, asked, group, run }) => {
      const picture = { token: "t", mimetype: "image/jpeg", filename: null, size: 9 };
      answers.push({ success: true });
      expect(await run("groups.picture", { group_id: group, picture })).toEqual(done);
      expect(asked).toEqual([{ method: "POST", path: AT, query: {}, json: { ...PRODUCT, file: "image/jpeg" } }]);
      expect(await run("groups.picture", { group_id: group, picture: { ...picture, mimetype: "image/png" } })).toMatchObject({
        ok: false,
        failure: { code: "media_invalid" },
      });
      expect(asked).toHaveLength(1);
    }));

  it("is a DELETE request when the number leaves the group, and reports Graph's refusal", () =>
    inGroup(async ({ answers, asked, group, run }) => {
      answers.push({ success: true }, refusal(131_204));
      expect(await run("groups.leave", { group_id: group })).toEqual(done);
      expect(asked).toEqual([{ method: "DELETE", path: AT, query: {}, json: null }]);
      expect(await run("groups.leave", { group_id: group })).toMatchObject({ ok: false, failure: { code: "forbidden" } });
    }));
});

describe("the link of a group", () => {
  const link = "https://chat.whatsapp.com/AbCdEfGhIjKlMnOpQrStUv";
  const value = { code: "AbCdEfGhIjKlMnOpQrStUv", link };

  it("is read with GET, and replaced with POST", () =>
    inGroup(async ({ answers, asked, group, run }) => {
      answers.push({ ...PRODUCT, invite_link: link }, { ...PRODUCT, invite_link: link });
      expect(await run("groups.invite", { group_id: group })).toEqual({ ok: true, value });
      expect(await run("groups.revoke_invite", { group_id: group })).toEqual({ ok: true, value });
      expect(asked).toEqual([
        { method: "GET", path: `${AT}/invite_link`, query: {}, json: null },
        { method: "POST", path: `${AT}/invite_link`, query: {}, json: PRODUCT },
      ]);
    }));

  it("has an unknown outcome if Graph does not respond to its replacement", () =>
    inGroup(async ({ group, run }) => {
      expect(await run("groups.revoke_invite", { group_id: group })).toEqual({ ok: false, failure: { code: "send_outcome_unknown" } });
      expect(await run("groups.invite", { group_id: group })).toEqual({ ok: false, failure: { code: "network_timeout" } });
    }));
});

describe("removing people", () => {
  const remove = (group: string, participants = [ana, bia]) => ({ group_id: group, action: "remove" as const, participants });

  it("returns the webhook's result for each of them", () =>
    inGroup(async ({ answers, asked, group, groupRequests, run }) => {
      answers.push(() => {
        groupRequests.settle("R1", { errors: [], failed: [{ input: bia.phone, code: 131_206 }] });
        return { ...PRODUCT, request_id: "R1" };
      });
      expect(await run("groups.participants", remove(group))).toEqual({
        ok: true,
        value: {
          participants: [
            { person: ana, code: 200 },
            { person: bia, code: 131_206 },
          ],
        },
      });
      const users = [{ user: `+${ana.phone}` }, { user: `+${bia.phone}` }];
      expect(asked).toEqual([{ method: "DELETE", path: `${AT}/participants`, query: {}, json: { ...PRODUCT, participants: users } }]);
    }));

  it("fails as a whole if it failed for everybody", () =>
    inGroup(async ({ answers, group, groupRequests, run }) => {
      answers.push(() => {
        const failed = [ana, bia].map(({ phone }) => ({ input: `+${phone}`, code: 131_204 }));
        groupRequests.settle("R1", { errors: [], failed });
        return { ...PRODUCT, request_id: "R1" };
      });
      expect(await run("groups.participants", remove(group))).toMatchObject({ ok: false, failure: { code: "not_group_admin" } });
    }));

  it("handles eight at a time, and runs alone among them", () =>
    inGroup(async ({ asked, group, run }) => {
      const nine = Array.from({ length: 9 }, (_, at) => ({ phone: `551190000010${at}`, lid: null }));
      expect(await run("groups.participants", remove(group, nine))).toMatchObject({
        ok: false,
        failure: { code: "limit_of_kind", details: { max: 8 } },
      });
      expect(await run("groups.participants", { ...remove(group), action: "promote" })).toMatchObject({
        ok: false,
        failure: { code: "not_supported" },
      });
      expect(asked).toEqual([]);
    }));
});

describe("requests to join", () => {
  const asking = {
    data: [
      { join_request_id: "J1", wa_id: ana.phone, creation_timestamp: T0 },
      { join_request_id: "J2", wa_id: bia.phone, creation_timestamp: String(T0 + 1) },
    ],
  };

  it("are listed", () =>
    inGroup(async ({ answers, asked, group, run }) => {
      answers.push(asking);
      expect(await run("groups.requests", { group_id: group })).toEqual({
        ok: true,
        value: {
          requests: [
            { person: ana, method: "invite_link", requested_at: T0 * 1000 },
            { person: bia, method: "invite_link", requested_at: (T0 + 1) * 1000 },
          ],
        },
      });
      expect(asked).toEqual([{ method: "GET", path: `${AT}/join_requests`, query: { limit: "100" }, json: null }]);
    }));

  it.each([
    ["approve", "POST", "approved_join_requests"],
    ["reject", "DELETE", "rejected_join_requests"],
  ] as const)("are looked up by requester, then decided: %s", (verdict, method, list) =>
    inGroup(async ({ answers, asked, group, run }) => {
      const failed = [{ join_request_id: "J2", errors: [{ code: 131_203, message: "no" }] }];
      answers.push(asking, { ...PRODUCT, [list]: ["J1"], failed_join_requests: failed });
      const other = { phone: "5511900000077", lid: null };
      expect(await run("groups.decide", { group_id: group, verdict, participants: [ana, bia, other] })).toEqual({
        ok: true,
        value: {
          participants: [
            { person: ana, code: 200 },
            { person: bia, code: 131_203 },
            { person: other, code: 404 },
          ],
        },
      });
      expect(asked[1]).toEqual({ method, path: `${AT}/join_requests`, query: {}, json: { ...PRODUCT, join_requests: ["J1", "J2"] } });
    }),
  );

  it("are refused with contact_not_found for people who did not ask", () =>
    inGroup(async ({ answers, asked, group, run }) => {
      answers.push({ data: [] });
      const decide = { group_id: group, verdict: "approve" as const, participants: [ana] };
      expect(await run("groups.decide", decide)).toMatchObject({ ok: false, failure: { code: "contact_not_found" } });
      expect(asked).toHaveLength(1);
    }));
});
