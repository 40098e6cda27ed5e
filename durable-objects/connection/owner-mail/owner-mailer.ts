import type { Env } from "#root/src/env.ts";
import { errorFields, log } from "#root/src/log.ts";
import { addOwnerNotice } from "#root/src/services/mail/owner-notices.ts";
import type { OwnerNotice } from "#root/src/services/mail/send.ts";
import type { Identity } from "../instance/identity.ts";

export type OwnerMail = OwnerNotice;

export class OwnerMailer {
  readonly #env: Env;
  readonly #identity: Identity;

  constructor(env: Env, identity: Identity) {
    this.#env = env;
    this.#identity = identity;
  }

  /** Returns false if the owner's guard could not store the notice; the caller must retry later. */
  async send(mail: OwnerMail): Promise<boolean> {
    const ownerId = this.#identity.record?.owner_id ?? null;
    if (ownerId === null) return false;
    try {
      await addOwnerNotice(this.#env, ownerId, mail);
      return true;
    } catch (error) {
      log("connection.mail_failed", errorFields(error));
      return false;
    }
  }
}
