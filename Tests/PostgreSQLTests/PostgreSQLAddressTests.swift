import Testing

@testable import PostgreSQL

@Suite("The address of a PostgreSQL server")
struct PostgreSQLAddressTests {
  @Test(
    "is parsed like libpq does",
    arguments: [
      "postgresql://db/parley", "postgresql://parley:hush@db:5432/parley?sslmode=verify-full",
      "postgres:///parley?host=/var/run/postgresql", "postgresql://[::1]:65535/parley",
      "postgresql://a:1,b:2,c/parley?target_session_attrs=read-write",
      "postgresql://a,b/parley?connect_timeout=3&keepalives=1", "host=db port=5433 dbname=parley",
      "postgresql://a,b/parley?port=5433",
      "postgresql://db/parley?ssl_min_protocol_version=TLSv1.3",
    ])
  func fits(_ url: String) throws {
    try PostgreSQLAddress.check(url)
  }

  @Test(
    "is refused without a connection attempt when no connection is possible",
    arguments: [
      ("postgresql://127.0.0.1:99999/parley", "the port '99999'"),
      ("postgresql://127.0.0.1:0/parley", "the port '0'"),
      ("postgresql://127.0.0.1:abc/parley", "the port 'abc'"),
      ("postgresql://a:1,b:70000/parley", "the port '70000'"),
      ("postgresql://a,b,c/parley?port=1,2", "2 ports for 3 hosts"),
      ("postgresql://db/parley?sslmode=bogus", "sslmode is 'bogus'"),
      ("postgresql://db/parley?target_session_attrs=writable", "target_session_attrs"),
      ("postgresql://db/parley?connect_timeout=soon", "connect_timeout is 'soon'"),
      ("postgresql://db/parley?nosuch=1", "nosuch"),
      ("postgresql://db/parley?sslmode", "not a connection URI"),
    ])
  func isRefused(_ url: String, because reason: String) {
    let fault = #expect(throws: PostgreSQLAddress.Fault.self) {
      try PostgreSQLAddress.check(url)
    }
    #expect(fault?.description.contains(reason) == true, "\(fault?.description ?? "")")
  }

  @Test(
    "does not reveal its password",
    arguments: [
      "postgresql://parley:hush@[::1/parley", "postgresql://parley:hush%zz@db/parley",
      "host=db password=x hush", "postgresql://parley:hush@db:99999/parley",
    ])
  func keepsSecrets(_ url: String) {
    let fault = #expect(throws: PostgreSQLAddress.Fault.self) {
      try PostgreSQLAddress.check(url)
    }
    #expect(fault?.description.contains("hush") == false)
  }
}
