// Setup for tests of one Cloud API number: the number, a webhook that receives its events, and its contacts.
import { type AccountCalls, accountCalls } from "../account-holder.ts";
import { phones } from "../clients.ts";
import { Receiver } from "../receiver.ts";
import { ok } from "../replies.ts";
import { borrowSandbox } from "../shared-sandbox.ts";
import { cloudControl } from "./control.ts";
import { type CloudNumber, connectCloudNumber } from "./numbers.ts";

export type CloudStore = {
  store: CloudNumber;
  receiver: Receiver;
  network: ReturnType<typeof phones>;
  control: ReturnType<typeof cloudControl>;
  /** The Account API for this instance; paths are relative to `/instances/{instanceId}`. */
  instance: AccountCalls;
  close(): Promise<void>;
};

/** `contacts`: names keyed by number. */
export async function openCloudStore(phone: string, contacts: Readonly<Record<string, string>>): Promise<CloudStore> {
  const [sandbox, receiver] = await Promise.all([borrowSandbox(), Receiver.start()]);
  const ready = sandbox.ready();
  const network = phones(ready);
  const store = await connectCloudNumber(ready, { phone, name: "Store" });
  const account = accountCalls(ready, { "x-api-key": ready.demo.api_key });
  const instance: AccountCalls = (method, path, ...rest) => account(method, `/instances/${store.instance}${path}`, ...rest);
  await Promise.all(Object.entries(contacts).map(([number, name]) => network.create(number, name)));
  await ok(store.owner.call("PUT", `/connections/${store.id}/webhook`, { url: receiver.url }), 201);
  return {
    store,
    receiver,
    network,
    control: cloudControl(ready, store.credentials),
    instance,
    async close() {
      await instance("DELETE", "");
      await Promise.all([sandbox.dispose(), receiver.stop()]);
    },
  };
}
