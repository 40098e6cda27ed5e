// The lists in which a person chooses an instance, a chat, a contact or a group.
import type { IDataObject, IHttpRequestOptions, ILoadOptionsFunctions, INodeListSearchResult } from "n8n-workflow";

const PAGE = 50;

type Page = { data: IDataObject[]; next_cursor?: string | null };

async function pageOf(context: ILoadOptionsFunctions, path: string, q?: string, cursor?: string): Promise<Page> {
  const { baseUrl } = await context.getCredentials<{ baseUrl: string }>("gatewayApi");
  const request: IHttpRequestOptions = {
    baseURL: baseUrl.replace(/\/+$/, ""),
    url: path,
    qs: { limit: PAGE, ...(q ? { q } : {}), ...(cursor ? { cursor } : {}) },
    json: true,
  };
  return (await context.helpers.httpRequestWithAuthentication.call(context, "gatewayApi", request)) as Page;
}

function result({ data, next_cursor }: Page, nameOf: (record: IDataObject) => unknown, id: string): INodeListSearchResult {
  const results = data.map((record) => ({ name: String(nameOf(record)), value: String(record[id]) }));
  return { results, ...(next_cursor ? { paginationToken: next_cursor } : {}) };
}

function pathOf(context: ILoadOptionsFunctions, list: string): string {
  const instance = context.getCurrentNodeParameter("instance", { extractValue: true });
  return `/api/instances/${encodeURIComponent(String(instance))}/${list}`;
}

const named = (record: IDataObject, id: string): string => {
  const name = record["name"] ?? record["full_name"] ?? record["push_name"] ?? record["subject"];
  return name ? `${String(name)} (${String(record[id])})` : String(record[id]);
};

export async function searchInstances(this: ILoadOptionsFunctions, filter?: string, token?: string): Promise<INodeListSearchResult> {
  return result(await pageOf(this, "/api/instances", filter, token), ({ name, id }) => name ?? id, "id");
}

export async function searchChats(this: ILoadOptionsFunctions, filter?: string, token?: string): Promise<INodeListSearchResult> {
  return result(await pageOf(this, pathOf(this, "chats"), filter, token), (chat) => named(chat, "chat_id"), "chat_id");
}

export async function searchContacts(this: ILoadOptionsFunctions, filter?: string, token?: string): Promise<INodeListSearchResult> {
  return result(await pageOf(this, pathOf(this, "contacts"), filter, token), (contact) => named(contact, "contact_id"), "contact_id");
}

export async function searchGroups(this: ILoadOptionsFunctions, filter?: string, token?: string): Promise<INodeListSearchResult> {
  return result(await pageOf(this, pathOf(this, "groups"), filter, token), (group) => named(group, "group_id"), "group_id");
}
