// One object per account: limits and idempotency for calls that concern the account itself (keys, instances, webhooks), as the
// Connection objects apply them to calls on an instance. The call runs in the worker, which passes it in as a callback.
import { DurableObject } from "cloudflare:workers";
import type { Env } from "../src/env.ts";
import type { Answer, Call, AccountAction } from "../src/protocol/connection.ts";
import { Gate } from "./shared/gate/gate.ts";
import { GATE_MIGRATIONS } from "./shared/gate/schema.ts";
import { type Deployment, PRODUCTION } from "./shared/deployment.ts";
import { migrate } from "./shared/migrate.ts";
import type { ServerOf } from "../src/services/object-stubs.ts";
import type { AccountGuardStub } from "../src/services/accounts/guard.ts";
import { errorFields, log } from "../src/log.ts";
import { fail } from "../src/protocol/failures.ts";

export class AccountGuard extends DurableObject<Env> implements ServerOf<AccountGuardStub> {
  readonly #gate: Gate;
  /** When the alarm is set for; undefined until it has been set once. */
  #alarmAt: number | null | undefined;

  constructor(ctx: DurableObjectState, env: Env, deployment: Deployment = PRODUCTION) {
    super(ctx, env);
    migrate(ctx.storage, [["gate", GATE_MIGRATIONS]]);
    this.#gate = new Gate(ctx.storage.sql, deployment.limits);
  }

  /** One call of an authenticated caller. `act` is called at most once. Failures are values: nothing is thrown across RPC. */
  async perform(call: Call, act: AccountAction): Promise<Answer> {
    if (call.caller.kind !== "account") return fail("unauthorized");
    try {
      return await this.#gate.admit(
        { call, subject: call.caller.subject, refused: null, resumable: false, asksNetwork: false, shownOnce: [] },
        () => act(),
        Date.now(),
      );
    } catch (error) {
      log("account.failed", { request: call.requestId, route: call.route, ...errorFields(error) });
      return fail("internal_error");
    } finally {
      await this.#arm();
    }
  }

  override async alarm(): Promise<void> {
    this.#alarmAt = null;
    this.#gate.run(Date.now());
    await this.#arm();
  }

  /** The alarm is derived, never remembered (docs/architecture.md, "Alarms"). */
  async #arm(): Promise<void> {
    const due = this.#gate.nextDue();
    if (due === this.#alarmAt) return;
    this.#alarmAt = due;
    await (due === null ? this.ctx.storage.deleteAlarm() : this.ctx.storage.setAlarm(due));
  }
}
