internal import Cluster

/// The registry's SQL.
enum RegistryStatements {
  /// The advisory lock for assigning numbers and creating tables.
  static let lock: Int64 = 0x7061_726c_6579_5f31

  /// Unix milliseconds of the registry's clock.
  private static let clock = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
  /// Milliseconds for which an ended server is listed.
  private static let memory: Int64 = 600_000

  static let schema = """
    SELECT pg_advisory_xact_lock(\(lock));
    CREATE TABLE IF NOT EXISTS servers (
      server_id bigint PRIMARY KEY,
      slot smallint NOT NULL UNIQUE CHECK (slot BETWEEN 0 AND 255),
      name text NOT NULL, version text NOT NULL, protocol smallint NOT NULL,
      state text NOT NULL CHECK (state IN ('joining', 'live', 'draining', 'dead')),
      bus_ok boolean NOT NULL, started_at bigint NOT NULL, beat_at bigint NOT NULL,
      settings jsonb NOT NULL);
    CREATE TABLE IF NOT EXISTS lost_servers (
      server_id bigint PRIMARY KEY, slot smallint NOT NULL, name text NOT NULL,
      version text NOT NULL, started_at bigint NOT NULL, beat_at bigint NOT NULL,
      ended_at bigint NOT NULL, ending text NOT NULL);
    CREATE TABLE IF NOT EXISTS registry (
      is_whole boolean PRIMARY KEY DEFAULT true CHECK (is_whole), deployment bigint NOT NULL,
      last_slot smallint NOT NULL);
    INSERT INTO registry (deployment, last_slot) VALUES (
      ('x' || left(md5(gen_random_uuid()::text), 16))::bit(64)::bigint,
      coalesce((SELECT slot FROM servers ORDER BY started_at DESC LIMIT 1), -1))
    ON CONFLICT DO NOTHING;
    """

  /// The number of the deployment, stored once in its database.
  static let deployment = "SELECT deployment FROM registry"

  /// The suffix of the key under which the value of a setting is stored beside its digest.
  static let valueSuffix = " value"

  /// Settings that differ on running servers.
  ///
  /// Parameters: keys, values, a server to exclude.
  static let differences = """
    SELECT other.key, s.name, s.settings ->> (other.key || '\(valueSuffix)')
    FROM servers s CROSS JOIN LATERAL jsonb_each_text(s.settings) other
      JOIN unnest($1::text[], $2::text[]) own (key, value) ON own.key = other.key
    WHERE s.state <> 'dead' AND own.value <> other.value AND s.server_id <> $3
      AND NOT pg_try_advisory_xact_lock_shared(s.server_id)
    ORDER BY other.key, s.name
    """

  /// The first free number after the last one assigned; no row if all are in use.
  ///
  /// Not a sequence, which skips numbers when the database crashes: after a few crashes the numbers
  /// of servers that have just died would be reused.
  static let nextSlot = """
    WITH next AS (
      SELECT step, (last_slot + step) % \(ServerRing.capacity) AS slot
      FROM registry, generate_series(1, \(ServerRing.capacity)) step),
    free AS (
      SELECT slot FROM next
      WHERE NOT EXISTS (SELECT FROM servers s WHERE s.slot = next.slot AND s.state <> 'dead')
      ORDER BY step LIMIT 1)
    UPDATE registry SET last_slot = free.slot FROM free RETURNING last_slot::bigint
    """

  static let forget = "DELETE FROM servers WHERE slot = $1 AND state = 'dead'"

  static let forgetLost = "DELETE FROM lost_servers WHERE ended_at < \(clock) - \(memory)"

  /// Server, number, name, version, protocol, keys and values of settings.
  static let insert = """
    INSERT INTO servers (server_id, slot, name, version, protocol, state, bus_ok, started_at,
      beat_at, settings)
    VALUES ($1, $2, $3, $4, $5, 'joining', false, \(clock), \(clock), jsonb_object($6, $7))
    """

  /// Server, keys and values of settings.
  static let agree = "UPDATE servers SET settings = jsonb_object($2, $3) WHERE server_id = $1"

  /// Whether this connection acquired the server's lock.
  static let takeLock = "SELECT pg_try_advisory_lock($1)"

  /// Server, state, whether it is on the bus.
  static let beat = """
    UPDATE servers SET state = $2, bus_ok = $3, beat_at = \(clock)
    WHERE server_id = $1 AND state <> 'dead'
    """

  /// The clock, and all servers that are not dead.
  static let servers = """
    SELECT now.time, s.server_id, s.slot, s.name, s.version, s.protocol, s.state, s.bus_ok,
      s.started_at, s.beat_at
    FROM (SELECT \(clock) AS time) now LEFT JOIN servers s ON s.state <> 'dead'
    """

  /// The servers that ended recently, the last one first.
  static let lostServers = """
    SELECT server_id, slot, name, version, started_at, beat_at, ended_at, ending
    FROM lost_servers WHERE ended_at > \(clock) - \(memory) ORDER BY ended_at DESC LIMIT 64
    """

  /// Server.
  static let declareDeadWithoutLock =
    "WITH evidence AS MATERIALIZED (SELECT pg_try_advisory_xact_lock_shared($1) AS is_free), "
    + end(.expelled, from: "FROM evidence", where: "is_free")

  /// Server, milliseconds.
  static let declareDeadWithoutBeat =
    "WITH " + end(.silent, where: "beat_at NOT BETWEEN \(clock) - $2 AND \(clock) + $2")

  /// Server.
  static let leave = "WITH " + end(.left, where: "true")

  /// Ends a server that has not ended; changes one row in this case.
  private static func end(
    _ ending: ServerEnding, from source: String = "", where condition: String
  ) -> String {
    let columns = "server_id, slot, name, version, started_at, beat_at"
    return """
      gone AS (
        UPDATE servers SET state = 'dead' \(source)
        WHERE server_id = $1 AND state <> 'dead' AND \(condition)
        RETURNING \(columns))
      INSERT INTO lost_servers (\(columns), ended_at, ending)
      SELECT \(columns), \(clock), '\(ending.rawValue)' FROM gone
      """
  }
}
