import { QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query";
import { StrictMode, Suspense, useEffect } from "react";
import { createRoot } from "react-dom/client";
import { LiveRegion, Toasts } from "../src/ui/toast.tsx";
import { UI } from "../src/texts/catalogs.ts";
import { PHONE, usePhoneTexts } from "./texts/texts.ts";
import "./style.css";
import { useAddress } from "./network/address.ts";
import { people } from "./network/control.ts";
import { Phone } from "./phone.tsx";
import { Nothing } from "./widgets/pieces.tsx";
import { Switcher } from "./switcher.tsx";

// The network's stream reports changes (`useLive` in phone.tsx), so cached data never becomes stale over time.
const queries = new QueryClient({
  defaultOptions: {
    queries: { staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false, retry: 2, networkMode: "always" },
    mutations: { networkMode: "always" },
  },
});

const root = document.querySelector("#root");
if (root === null) throw new Error("index.html has no #root");
await Promise.all([PHONE.load(), UI.load()]);
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <Suspense>
        <App />
        <LiveRegion />
        <Toasts />
      </Suspense>
    </QueryClientProvider>
  </StrictMode>,
);

export function App() {
  const w = usePhoneTexts();
  const { data: everybody, refetch } = useQuery(people());
  const { phone: asked } = useAddress();
  const shown = everybody?.find(({ phone }) => phone === asked) ?? (asked === null ? everybody?.[0] : undefined);
  // Refetches the list if the phone is unknown, because no stream reports phones that were just added.
  const unknown = everybody !== undefined && shown === undefined ? asked : null;
  useEffect(() => {
    if (unknown !== null) void refetch();
  }, [unknown, refetch]);
  useEffect(() => {
    document.title = shown === undefined ? w.title : `${shown.name} · ${w.title}`;
  }, [shown, w]);
  return (
    <div className="flex h-dvh flex-col md:grid md:grid-cols-[18rem_1fr]">
      <Switcher everybody={everybody ?? []} shown={shown?.phone ?? null} />
      <main className="flex min-h-0 flex-1 flex-col items-center justify-center md:p-4">
        {shown === undefined ? (
          everybody !== undefined && <Nothing text={asked === null ? w.noPhones : w.unknownPhone} />
        ) : (
          <Phone key={shown.phone} phone={shown.phone} name={shown.name} />
        )}
      </main>
    </div>
  );
}
