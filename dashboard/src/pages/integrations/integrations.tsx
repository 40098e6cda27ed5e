import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { Suspense, lazy } from "react";
import { reading } from "../../api/client.ts";
import { PageTitle } from "../../ui/heading.tsx";
import { Loading, Query } from "../../ui/states.tsx";
import { INTEGRATIONS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { KeysPanel } from "./keys.tsx";
import { lazyPart } from "../../ui/loading/lazy-part.tsx";

// Requested together with the page, which always shows it.
const webhook = import("./webhook.tsx").then(({ WebhookPanel: component }) => ({ default: component }));
webhook.catch(() => undefined);
const WebhookPanel = lazy(() => webhook);
const VerifierPanel = lazyPart(() => import("./verifier.tsx").then(({ VerifierPanel: component }) => component));

export function Integrations() {
  const texts = useTexts(INTEGRATIONS);
  const { id } = useParams({ from: "/in/connections/$id/integrations" });
  const connection = useQuery(reading("GET /connections/{id}", { id }));
  return (
    <div className="grid min-w-0 gap-6">
      <PageTitle>{texts.title}</PageTitle>
      <Query result={connection} lines={6}>
        {({ data }) => (
          <>
            <KeysPanel key={`k${id}`} id={id} owner={data.role === "owner"} phone={data.phone} />
            <Suspense fallback={<Loading />}>
              <WebhookPanel key={`w${id}`} id={id} owner={data.role === "owner"} />
            </Suspense>
          </>
        )}
      </Query>
      <Suspense fallback={<Loading />}>
        <VerifierPanel />
      </Suspense>
    </div>
  );
}
