// A banner shown while the gateway does not respond. It retries, then refetches everything.
import { useEffect, useSyncExternalStore } from "react";
import { queries } from "../api/cache.ts";
import { isResponding, onRefused } from "../api/client.ts";
import { AgainLink } from "../ui/states.tsx";
import { announce } from "../ui/toast.tsx";
import { SHELL } from "../texts/catalogs.ts";
import { useTexts } from "../texts/catalog.ts";

const AGAIN_MS = 5_000;

const listeners = new Set<() => void>();
let offline = !navigator.onLine;

function set(now: boolean): void {
  if (offline === now) return;
  offline = now;
  for (const listener of listeners) listener();
}

window.addEventListener("offline", () => set(true));
onRefused(({ code }) => {
  if (code === "offline") set(true);
});

function useOffline(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => offline,
  );
}

async function again(): Promise<void> {
  if (!(await isResponding())) return;
  set(false);
  await queries.invalidateQueries();
}

export function OfflineLine() {
  const texts = useTexts(SHELL);
  const isOffline = useOffline();
  useEffect(() => {
    if (!isOffline) return undefined;
    const timer = setInterval(() => void again(), AGAIN_MS);
    const back = () => void again();
    window.addEventListener("online", back);
    return () => {
      clearInterval(timer);
      window.removeEventListener("online", back);
    };
  }, [isOffline]);
  useEffect(() => {
    if (!isOffline) return undefined;
    announce(texts.offline);
    return () => announce(texts.online);
  }, [isOffline, texts]);
  if (!isOffline) return null;
  // Screen readers do not announce this element, because the live region already announces its text.
  return (
    <div
      role="status"
      aria-live="off"
      className="flex flex-wrap items-center gap-x-4 border-b border-line bg-tint px-4 py-1.5 text-sm text-attention sm:px-6"
    >
      <p>{texts.offline}</p>
      <AgainLink onAgain={() => void again()} />
    </div>
  );
}
