// What people show of themselves.
import { z } from "@hono/zod-openapi";
import { renderAbout, renderPicture } from "../render/contact.ts";
import { route } from "../route.ts";
import { About, BusinessProfile, contactId, Picture, pictureSize } from "../schemas/contact.ts";

const params = z.object({ contactId });
const tag = "contacts";

export const contactDetailRoutes = [
  route({
    method: "get",
    path: "/contacts/{contactId}/picture",
    operation: "pictures.get",
    tag,
    counted: true,
    cached: true,
    summary: "The picture of a contact",
    params,
    query: z.object({ size: pictureSize }),
    input: (given) => ({ chat_id: given.params.contactId, size: given.query.size }),
    response: z.object({ data: Picture }),
    render: (picture, rendering) => ({ data: renderPicture(picture, rendering) }),
  }),
  route({
    method: "get",
    path: "/contacts/{contactId}/about",
    operation: "contacts.about",
    tag,
    counted: true,
    cached: true,
    summary: "The about text of a contact",
    params,
    input: (given) => ({ contact_id: given.params.contactId }),
    response: z.object({ data: About }),
    render: (about) => ({ data: renderAbout(about) }),
  }),
  route({
    method: "get",
    path: "/contacts/{contactId}/business-profile",
    operation: "contacts.business_profile",
    tag,
    counted: true,
    cached: true,
    summary: "The business profile of a contact",
    params,
    input: (given) => ({ contact_id: given.params.contactId }),
    response: z.object({ data: BusinessProfile }),
    render: (business) => ({ data: business }),
  }),
];
