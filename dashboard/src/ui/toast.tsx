import { X } from "lucide-react";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { UI } from "../texts/catalogs.ts";
import { useTexts } from "../texts/catalog.ts";
import { Button } from "./button.tsx";

const SHOWN_MS = 6_000;
const WITH_ACTION_MS = 15_000;

type Toast = { id: number; text: string; kind: "done" | "bad"; action?: { label: string; onSelect: () => void } | undefined };

let toasts: readonly Toast[] = [];
let announced = { text: "", count: 0 };
const listeners = new Set<() => void>();

function changed(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function toast(text: string, { kind = "done", action }: Partial<Pick<Toast, "kind" | "action">> = {}): void {
  announced = { text, count: announced.count + 1 };
  toasts = [...toasts.slice(-2), { id: announced.count, text, kind, action }];
  changed();
}

export function announce(text: string): void {
  announced = { text, count: announced.count + 1 };
  changed();
}

function dismiss(id: number): void {
  toasts = toasts.filter((toast) => toast.id !== id);
  changed();
}

/** Rendered in the page and in each open dialog, because content behind a dialog is not announced. */
export function LiveRegion() {
  const { text, count } = useSyncExternalStore(subscribe, () => announced);
  const [mountedAt] = useState(count);
  return (
    <div aria-live="polite" role="status" className="sr-only">
      {/* Makes repeated messages differ, because screen readers do not announce unchanged text. */}
      {count === mountedAt ? "" : text + (count % 2 === 0 ? "" : "\u00A0")}
    </div>
  );
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  const box = useRef<HTMLDivElement>(null);
  const newest = shown.at(-1)?.id;
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    // Reopens the toast, so that it is above dialogs that were opened in the meantime.
    if (element.matches(":popover-open")) element.hidePopover();
    if (newest !== undefined) element.showPopover();
  }, [newest]);
  return (
    <div
      ref={box}
      popover="manual"
      className="fixed inset-auto bottom-20 left-1/2 m-0 w-[min(28rem,calc(100vw-1.5rem))] -translate-x-1/2 overflow-visible bg-transparent p-0"
    >
      <div className="grid gap-2">
        {shown.map((toast) => (
          <Notice key={toast.id} toast={toast} />
        ))}
      </div>
    </div>
  );
}

function Notice({ toast }: { toast: Toast }) {
  const texts = useTexts(UI);
  const [held, setHeld] = useState(false);
  const { id, kind, action } = toast;
  useEffect(() => {
    if (held || kind === "bad") return undefined;
    const timer = setTimeout(() => dismiss(id), action === undefined ? SHOWN_MS : WITH_ACTION_MS);
    return () => clearTimeout(timer);
  }, [held, id, kind, action]);
  return (
    <div
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
      className={`flex items-center gap-2 rounded-lg border bg-surface py-1.5 pr-1.5 pl-4 text-ink shadow-float ${kind === "bad" ? "border-bad" : "border-edge"}`}
    >
      <p className="min-w-0 grow py-1 break-words">{toast.text}</p>
      {action !== undefined && (
        <Button
          kind="quiet"
          className="shrink-0 !text-accent"
          onClick={() => {
            dismiss(id);
            action.onSelect();
          }}
        >
          {action.label}
        </Button>
      )}
      <button
        type="button"
        aria-label={texts.close}
        onClick={() => dismiss(id)}
        className="grid size-11 shrink-0 place-items-center rounded-md hover:bg-tint pointer-fine:size-8"
      >
        <X size={16} aria-hidden />
      </button>
    </div>
  );
}
