/**
 * Fills a queue with copies of one submitted run, by statements on whole tables, because a hundred thousand submits
 * would take minutes. The rows are those that submit() makes: sessions, tenants, lanes and runs with tags in turns,
 * and jobs with the ranks of their tags.
 *
 * @param {{ query(text: string, values?: unknown[]): Promise<{ rows: any[] }> }} database
 * @param {{ template: string, runs: number, tenants: number, rankOf: (tag: number) => number }} options
 *   `template` is the id of a run that waits in the queue, `rankOf` the rank of a tag.
 */
export async function fillQueue(database, { template, runs, tenants, rankOf }) {
  // A statement on all of them could take longer than the time limit of a statement.
  for (let first = 0; first < runs; first += BATCH) {
    const last = Math.min(first + BATCH, runs) - 1;
    await fillBatch(database, { template, first, last, tenants, rankOf });
  }
}

const BATCH = 10_000;

async function fillBatch(database, { template, first, last, tenants, rankOf }) {
  const { rows } = await database.query(
    "select job_id, queue, priority, tag from hawser.run where id = $1",
    [template],
  );
  const [{ job_id: job, queue, priority, tag }] = rows;
  const top = rankOf(Number(tag));
  await database.query(
    `create table hawser.filling as
     select gen_random_uuid() as run_id, gen_random_uuid() as session_id, gen_random_uuid() as job_id,
       'filled-' || (n % $3) as tenant, $4::bigint + (n / $3) * 1000 as tag
     from generate_series($1::int, $2::int) as n`,
    [first, last, tenants, tag],
  );
  await database.query(
    "insert into hawser.session (id, tenant) select session_id, tenant from hawser.filling",
  );
  await database.query(
    "insert into hawser.tenant (name) select distinct tenant from hawser.filling on conflict do nothing",
  );
  await database.query(
    `insert into hawser.lane (queue, priority, tenant, tag)
     select $1, $2, tenant, max(tag) + 1000 from hawser.filling group by tenant
     on conflict (queue, priority, tenant) do update set tag = excluded.tag`,
    [queue, priority],
  );
  await database.query(
    `insert into hawser.run overriding user value
     select (jsonb_populate_record(run, jsonb_build_object('id', run_id, 'tenant', filling.tenant,
       'tag', filling.tag, 'session_id', filling.session_id, 'job_id', filling.job_id))).*
     from hawser.run, hawser.filling where run.id = $1`,
    [template],
  );
  await database.query(
    `insert into "hawser_boss".job
     select (jsonb_populate_record(job, jsonb_build_object('id', filling.job_id, 'data',
       jsonb_build_object('run', run_id), 'singleton_key', session_id, 'group_id', tenant,
       'priority', $2::bigint - (tag - $3::bigint)))).*
     from "hawser_boss".job, hawser.filling where job.id = $1`,
    [job, top, tag],
  );
  await database.query("drop table hawser.filling");
}
