// All simulated phones of a network. Phones load on first use, so hundreds cost little.
import type { BinaryNode } from "baileys";
import type { Account } from "../model.ts";
import type { TestNetwork } from "../network.ts";
import { changeAppState, shareSalt } from "./app-state.ts";
import { createIdentity, thawIdentity, type Identity } from "./phone-keys.ts";
import { uplinkOf } from "./uplink.ts";
import { SimulatedPhone } from "./simulated-phone.ts";
import type { PhoneOptions } from "./views.ts";
import { NOBODY, type PhoneObserver } from "./dependencies.ts";
import { openDatabaseIn, statement, type Database } from "./store/database.ts";

export type NewPhone = {
  name?: string | undefined;
  business?: boolean | undefined;
  salt?: PhoneOptions["salt"];
};

export class Phones {
  readonly #network: TestNetwork;
  readonly #db: Database;
  readonly #observer: PhoneObserver;
  readonly #loaded = new Map<string, SimulatedPhone>();

  constructor(network: TestNetwork, db?: Database | string, observer: PhoneObserver = NOBODY) {
    this.#network = network;
    this.#observer = observer;
    this.#db = typeof db === "object" ? db : openDatabaseIn(db);
    for (const pn of this.numbers()) this.#connect(pn);
    for (const pn of this.#owingWelcomes()) this.get(pn);
  }

  async create(pn: string, { name, business, salt }: NewPhone = {}): Promise<SimulatedPhone> {
    const known = this.get(pn);
    if (known) return known;
    const account = this.#network.directory.createAccount(pn, {
      ...(name !== undefined && { name }),
      ...(business !== undefined && { business }),
    });
    const identity = createIdentity(account);
    if (salt !== undefined) identity.options.salt = salt;
    const phone = this.#load(identity, account);
    await phone.act((deps) => deps.commit(() => deps.saveIdentity()));
    this.#connect(pn);
    // Linked devices learn the account's name from this change.
    await phone.act((deps) => changeAppState(deps, { pushNameSetting: account.name }, ""));
    if (salt !== "history") await phone.act(shareSalt);
    await this.#network.durable();
    return phone;
  }

  get(pn: string): SimulatedPhone | undefined {
    const loaded = this.#loaded.get(pn);
    if (loaded) return loaded;
    const row = statement(this.#db, "SELECT identity FROM phone WHERE pn = ?").get(pn);
    if (!row) return undefined;
    const identity = thawIdentity(String(row["identity"]));
    return this.#load(identity, this.#accountOf(identity));
  }

  numbers(): string[] {
    return statement(this.#db, "SELECT pn FROM phone ORDER BY seq")
      .all()
      .map((row) => String(row["pn"]));
  }

  loaded(): IterableIterator<SimulatedPhone> {
    return this.#loaded.values();
  }

  async close(): Promise<void> {
    for (const phone of this.#loaded.values()) await phone.idle();
    this.#db.close();
  }

  #load(identity: Identity, account: Account): SimulatedPhone {
    publishKeys(this.#network, account, identity);
    const phone = new SimulatedPhone(
      identity,
      uplinkOf(this.#network, account, () => this.#connect(account.pn)),
      this.#db,
      (part, chatId) => this.#network.changes.report({ part, phone: account.pn, ...(chatId !== undefined && { chatId }) }),
      this.#observer,
    );
    this.#loaded.set(account.pn, phone);
    return phone;
  }

  #connect(pn: string): void {
    if (!this.#network.directory.account(pn)?.devices.has(0)) this.get(pn);
    const device = this.#network.directory.account(pn)?.devices.get(0);
    if (!device || this.#isOff(pn)) return;
    const send = (stanza: BinaryNode): void => {
      // After attaching, the server sends a count of waiting stanzas. Ignoring it avoids loading a phone that has none.
      if (stanza.tag !== "ib") this.get(pn)?.receive(stanza);
    };
    this.#network.attach(device, { active: true, send, end: () => {} });
  }

  #isOff(pn: string): boolean {
    return (
      statement(this.#db, "SELECT json_extract(identity, '$.options.online') AS online FROM phone WHERE pn = ?").get(pn)?.["online"] === 0
    );
  }

  #accountOf({ creds: { me } }: Identity): Account {
    const pn = me.id.replace(/@.*$/, "");
    return this.#network.directory.createAccount(pn, { name: me.name, lid: me.lid.replace(/@.*$/, "") });
  }

  #owingWelcomes(): string[] {
    return statement(this.#db, "SELECT DISTINCT pn FROM document WHERE kind = 'welcome'")
      .all()
      .map((row) => String(row["pn"]));
  }
}

/** Publishes the phone's keys unless the server has them, so that others can message it. */
function publishKeys(network: TestNetwork, account: Account, { creds }: Identity): void {
  const {
    signedPreKey: { keyId, keyPair, signature },
    signedIdentityKey,
    registrationId,
  } = creds;
  if (account.devices.get(0)?.keys) return;
  network.addDevice(account, 0, {
    platform: "phone",
    keys: { registrationId, identityKey: signedIdentityKey.public, skey: { id: keyId, value: keyPair.public, signature } },
  });
}
