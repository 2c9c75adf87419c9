/** The table of documents. `$SCHEMA` is replaced with the quoted name of the schema. */
export const DOCUMENTS_TABLES: string = `
create table $SCHEMA.document (
  collection text not null,
  tenant text not null,
  id text not null,
  -- JSON, as text, because jsonb refuses \\u0000.
  body text not null,
  at timestamptz not null default clock_timestamp(),
  -- Null: kept until it is deleted.
  expires_at timestamptz,
  primary key (collection, tenant, id)
);
create index document_expires on $SCHEMA.document (expires_at) where expires_at is not null;
`;
