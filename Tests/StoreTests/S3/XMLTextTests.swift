import TestSupport
import Testing

@testable import Store

@Suite("Responses of S3", .onOwnThreads)
struct XMLTextTests {
  @Test("elements are found by name, and entities are decoded")
  func elements() {
    let text = XMLText(
      "<?xml version=\"1.0\"?><List xmlns=\"x\"><Key>a&amp;b&lt;</Key><Key/><Key>c</Key><Rest>"
        + "<Key>d</List>")
    #expect(text.elements("Key").count == 2)
    #expect(text.value("Key") == "a&b<")
    #expect(text.value("Name") == nil)
    #expect(text.contains("List") && !text.contains("Lis"))
  }

  @Test(
    "the times of a list and of a header are both parsed",
    arguments: [
      ("1970-01-01T00:00:00.000Z", "Thu, 01 Jan 1970 00:00:00 GMT", 0),
      ("2000-02-29T23:59:59.999Z", "Tue, 29 Feb 2000 23:59:59 GMT", 951_868_799),
      ("2026-11-22T16:49:16Z", "Sun, 22 Nov 2026 16:49:16 GMT", 1_795_366_156),
    ])
  func times(listing: String, date: String, seconds: Int64) {
    #expect(S3Time.seconds(ofListing: listing) == seconds)
    #expect(S3Time.seconds(ofDate: date) == seconds)
  }

  @Test(
    "an invalid time is refused", arguments: ["", "yesterday", "2026-13-01T00:00:00Z", "1:2:3"])
  func noTimes(text: String) {
    #expect(S3Time.seconds(ofListing: text) == nil)
    #expect(S3Time.seconds(ofDate: text) == nil)
  }
}
