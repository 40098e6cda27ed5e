// Scripted faults for one Cloud API number. Each occurs `times` times (default once), except `hold_webhooks`, which lasts until `release`.
import type { CloudDocuments } from "./documents.ts";
import { digits } from "./ids.ts";
import type { CloudFault, CloudFaultKind, StoredFault } from "./model.ts";

export class CloudFaults {
  readonly #documents: CloudDocuments;

  constructor(documents: CloudDocuments) {
    this.#documents = documents;
  }

  list(): StoredFault[] {
    return this.#documents.list("fault");
  }

  add(fault: CloudFault): void {
    if (fault.kind === "release") return this.#end(fault.phone_number_id, "hold_webhooks");
    const id = digits(12);
    this.#documents.put("fault", id, { ...fault, fault_id: id, left: fault.times ?? 1 });
  }

  clear(number?: string): void {
    for (const fault of this.list()) {
      if (number === undefined || fault.phone_number_id === number) this.#documents.remove("fault", fault.fault_id);
    }
  }

  holds(number: string): boolean {
    return this.#find(number, "hold_webhooks") !== undefined;
  }

  waiting(number: string, kind: CloudFaultKind): StoredFault | undefined {
    return this.#find(number, kind);
  }

  strike(number: string, kind: CloudFaultKind, request?: string): StoredFault | null {
    const fault = this.#find(number, kind, request);
    if (!fault) return null;
    if (fault.left > 1) this.#documents.put("fault", fault.fault_id, { ...fault, left: fault.left - 1 });
    else this.#documents.remove("fault", fault.fault_id);
    return fault;
  }

  #find(number: string, kind: CloudFaultKind, request?: string): StoredFault | undefined {
    return this.list().find(
      (fault) =>
        fault.phone_number_id === number && fault.kind === kind && (request === undefined || request.includes(fault.match ?? "/messages")),
    );
  }

  #end(number: string, kind: CloudFaultKind): void {
    for (const fault of this.list()) {
      if (fault.phone_number_id === number && fault.kind === kind) this.#documents.remove("fault", fault.fault_id);
    }
  }
}
