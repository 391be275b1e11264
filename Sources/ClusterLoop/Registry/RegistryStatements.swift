/// The registry's SQL.
enum RegistryStatements {
  /// The advisory lock under which numbers are given and tables made.
  static let lock: Int64 = 0x7061_726c_6579_5f31

  /// Unix milliseconds of the registry's clock.
  private static let clock = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"

  static let schema = """
    SELECT pg_advisory_xact_lock(\(lock));
    CREATE TABLE IF NOT EXISTS servers (
      server_id bigint PRIMARY KEY,
      slot smallint NOT NULL UNIQUE CHECK (slot BETWEEN 0 AND 255),
      name text NOT NULL, version text NOT NULL, protocol smallint NOT NULL,
      state text NOT NULL CHECK (state IN ('joining', 'live', 'draining', 'dead')),
      bus_ok boolean NOT NULL, started_at bigint NOT NULL, beat_at bigint NOT NULL,
      settings jsonb NOT NULL);
    CREATE SEQUENCE IF NOT EXISTS server_slots AS smallint MINVALUE 0 MAXVALUE 255 CYCLE;
    """

  /// Settings that servers with a process have otherwise: keys, values.
  static let differences = """
    SELECT other.key, s.name
    FROM servers s CROSS JOIN LATERAL jsonb_each_text(s.settings) other
      JOIN unnest($1::text[], $2::text[]) own (key, value) ON own.key = other.key
    WHERE s.state <> 'dead' AND own.value <> other.value
      AND NOT pg_try_advisory_xact_lock_shared(s.server_id)
    ORDER BY other.key, s.name
    """

  /// The next number, and whether a server has it that is not dead.
  static let nextSlot = """
    SELECT next.slot, EXISTS (
      SELECT FROM servers s WHERE s.slot = next.slot AND s.state <> 'dead')
    FROM (SELECT nextval('server_slots')::bigint AS slot) next
    """

  static let forget = "DELETE FROM servers WHERE slot = $1 AND state = 'dead'"

  /// Server, number, name, version, protocol, keys and values of settings.
  static let insert = """
    INSERT INTO servers (server_id, slot, name, version, protocol, state, bus_ok, started_at,
      beat_at, settings)
    VALUES ($1, $2, $3, $4, $5, 'joining', false, \(clock), \(clock), jsonb_object($6, $7))
    """

  /// Whether this connection has the server's lock now.
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

  /// Server.
  static let declareDeadWithoutLock = """
    WITH evidence AS MATERIALIZED (SELECT pg_try_advisory_xact_lock_shared($1) AS is_free)
    UPDATE servers SET state = 'dead' FROM evidence
    WHERE server_id = $1 AND state <> 'dead' AND is_free
    """

  /// Server, milliseconds.
  static let declareDeadWithoutBeat = """
    UPDATE servers SET state = 'dead'
    WHERE server_id = $1 AND state <> 'dead' AND beat_at < \(clock) - $2
    """

  /// Server.
  static let leave = "UPDATE servers SET state = 'dead' WHERE server_id = $1"
}
