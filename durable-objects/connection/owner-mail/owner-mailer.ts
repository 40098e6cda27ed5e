import type { Env } from "#root/src/env.ts";
import { errorFields, log } from "#root/src/log.ts";
import { type Notice, sendNotice } from "#root/src/services/mail/send.ts";
import { findUser } from "#root/src/services/users/user-table.ts";
import type { Identity } from "../instance/instance.ts";

export type OwnerMail = Omit<Notice, "to">;

export class OwnerMailer {
  readonly #env: Env;
  readonly #identity: Identity;

  constructor(env: Env, identity: Identity) {
    this.#env = env;
    this.#identity = identity;
  }

  /** Returns false when the mail must be retried later. */
  async send(mail: OwnerMail): Promise<boolean> {
    const ownerId = this.#identity.record?.owner_id ?? null;
    try {
      const owner = ownerId === null ? null : await findUser(this.#env.DB, ownerId);
      if (owner === null) return false;
      await sendNotice(this.#env, { ...mail, to: owner.email });
      return true;
    } catch (error) {
      log("connection.mail_failed", errorFields(error));
      return false;
    }
  }
}
