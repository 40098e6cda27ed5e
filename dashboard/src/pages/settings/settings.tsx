import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { reading } from "../../api/client.ts";
import { PageTitle } from "../../ui/heading.tsx";
import { Query } from "../../ui/states.tsx";
import { SETTINGS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { Acts } from "./acts.tsx";
import { Alerts } from "./alerts.tsx";
import { Behaviour } from "./behaviour.tsx";
import { ConnectionName } from "./connection-name.tsx";
import { Guest } from "./guest.tsx";
import { People } from "./people.tsx";
import { RemoveConnection } from "./remove-connection.tsx";

export function Settings() {
  const texts = useTexts(SETTINGS);
  const { id } = useParams({ from: "/in/connections/$id/settings" });
  const connection = useQuery(reading("GET /connections/{id}", { id }));
  return (
    <>
      <PageTitle>{texts.title}</PageTitle>
      <Query result={connection}>
        {({ data }) =>
          data.role === "owner" ? (
            <div className="grid gap-4">
              <ConnectionName key={data.id} connection={data} />
              <People connection={data} />
              <Behaviour key={JSON.stringify(data.settings)} connection={data} />
              <Alerts key={`alerts ${JSON.stringify(data.settings.alerts)}`} connection={data} />
              <Acts connection={data} />
              <RemoveConnection connection={data} />
            </div>
          ) : (
            <div className="grid gap-4">
              <Guest connection={data} role={data.role} />
              <ConnectionName connection={data} />
              <Behaviour connection={data} />
            </div>
          )
        }
      </Query>
    </>
  );
}
