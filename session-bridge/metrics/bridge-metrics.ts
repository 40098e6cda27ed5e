// The bridge's metrics (docs/operate/metrics.md, "Metrics"), summed over all sessions, because labels must not contain numbers or ids.
import type { Trouble, TroubleKind } from "@gateway/protocol/bridge-socket.ts";
import type { SendSettled } from "@gateway/protocol/events.ts";
import { Registry } from "./registry.ts";
import { Troubles } from "./troubles.ts";

const QUICK_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const SEND_SECONDS = [...QUICK_SECONDS, 30, 60, 120];

export type MediaDirection = "in" | "out";

export class BridgeMetrics {
  readonly registry = new Registry();
  readonly #sends = this.registry.counter("gateway_bridge_sends_total", "Sends that have ended, by outcome and failure code.");
  readonly #sendStages = this.registry.histogram(
    "gateway_bridge_send_stage_seconds",
    "How long sends stayed in a stage; written: until the network acknowledged it.",
    SEND_SECONDS,
  );
  readonly #received = this.registry.counter("gateway_bridge_received_messages_total", "Messages that the network brought, by origin.");
  readonly #unreadableEdits = this.registry.counter("gateway_bridge_unreadable_edits_total", "Edits that could not be opened, by reason.");
  readonly #commits = this.registry.histogram(
    "gateway_bridge_commit_seconds",
    "From a commit's frame to the confirmation that it is stored.",
    QUICK_SECONDS,
  );
  readonly #opens = this.registry.counter("gateway_bridge_network_opens_total", "Network sockets that were opened and logged in.");
  readonly #closes = this.registry.counter("gateway_bridge_network_closes_total", "Network sockets that closed, by reason.");
  readonly #reconnects = this.registry.counter("gateway_bridge_reconnects_total", "Reconnects that were scheduled after a close.");
  readonly #redials = this.registry.counter(
    "gateway_bridge_redials_total",
    "Session sockets to the gateway that were lost and dialled again.",
  );
  readonly #files = this.registry.counter("gateway_bridge_media_transfers_total", "Files fetched, by direction and outcome.");
  readonly #fileBytes = this.registry.counter("gateway_bridge_media_bytes_total", "Bytes of the files fetched, by direction.");

  readonly #troubles = new Troubles();

  readonly #droppedSpans = this.registry.counter("gateway_bridge_spans_dropped_total", "Spans that the collector did not take.");

  constructor() {
    this.registry.observed("counter", "gateway_bridge_troubles_total", "What went wrong on the network, by kind and code.", () =>
      this.#troubles.samples(),
    );
  }

  troubled(kind: TroubleKind, code: string, connection: string): void {
    this.#troubles.add(kind, code, connection, performance.now());
  }

  troubles(): Trouble[] {
    return this.#troubles.report(performance.now());
  }

  sendEnded(outcome: SendSettled["outcome"]): void {
    this.#sends.add({ outcome: outcome.kind, code: outcome.kind === "refused" ? outcome.failure.code : "" });
  }

  sendStageEnded(stage: string, tookMs: number): void {
    this.#sendStages.observe(tookMs / 1000, { stage });
  }

  messageReceived(origin: string): void {
    this.#received.add({ origin });
  }

  editUnreadable(reason: string): void {
    this.#unreadableEdits.add({ reason });
  }

  committed(tookMs: number): void {
    this.#commits.observe(tookMs / 1000);
  }

  spansDropped(spans: number): void {
    this.#droppedSpans.add({}, spans);
  }

  networkOpened(): void {
    this.#opens.add();
  }

  networkClosed(reason: string): void {
    this.#closes.add({ reason });
  }

  reconnecting(): void {
    this.#reconnects.add();
  }

  redialled(): void {
    this.#redials.add();
  }

  fileFetched(direction: MediaDirection, outcome: string, bytes: number): void {
    this.#files.add({ direction, outcome });
    if (bytes > 0) this.#fileBytes.add({ direction }, bytes);
  }
}

const DELAY_CHECK_MS = 100;
const DELAY_SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function addProcessMetrics(registry: Registry): void {
  const startedAt = Math.round(performance.timeOrigin) / 1000;
  const one = (value: number) => [{ value }];
  registry.observed("counter", "process_cpu_seconds_total", "CPU time used, user and system.", () => {
    const { user, system } = process.cpuUsage();
    return one((user + system) / 1e6);
  });
  registry.observed("gauge", "process_resident_memory_bytes", "Resident memory.", () => one(process.memoryUsage.rss()));
  registry.observed("gauge", "process_start_time_seconds", "When the process started, Unix seconds.", () => one(startedAt));
  registry.observed("gauge", "nodejs_heap_size_used_bytes", "Used heap.", () => one(process.memoryUsage().heapUsed));
  registry.observed("gauge", "nodejs_heap_size_total_bytes", "Reserved heap.", () => one(process.memoryUsage().heapTotal));
  registry.observed("gauge", "nodejs_external_memory_bytes", "Memory of buffers outside of the heap.", () =>
    one(process.memoryUsage().external),
  );
  measureDelay(registry);
}

/** A histogram, because the runtime's own quantiles must be reset after each scrape, and there may be several scrapers. */
function measureDelay(registry: Registry): void {
  const delays = registry.histogram("nodejs_eventloop_delay_seconds", "How late a timer ran, ten times a second.", DELAY_SECONDS);
  let dueAt = performance.now() + DELAY_CHECK_MS;
  setInterval(() => {
    const now = performance.now();
    delays.observe(Math.max(0, now - dueAt) / 1000);
    dueAt = now + DELAY_CHECK_MS;
  }, DELAY_CHECK_MS).unref();
}
