import Testing

@testable import Daemon

@Suite("Notices to a supervisor")
struct NoticeTests {
  @Test(
    "each consists of sd_notify assignments, one per line, without a trailing newline",
    arguments: [
      (Notice.ready, "READY=1\nSTATUS=serving"),
      (
        .reloading(at: 12),
        "RELOADING=1\nMONOTONIC_USEC=12\nSTATUS=reading settings and files again"
      ),
      (
        .refusedReload,
        "READY=1\nSTATUS=serving with the previous settings: the new ones are not valid, see the log"
      ),
      (.stopping, "STOPPING=1\nSTATUS=draining"),
      (.alive, "WATCHDOG=1"),
    ])
  func datagrams(notice: Notice, text: String) {
    #expect(String(decoding: notice.datagram, as: UTF8.self) == text)
  }
}
