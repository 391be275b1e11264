import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

@Suite("Changes of metaarrays")
struct MetaArrayChangeTests {
  private let known = [MetaArray(key: "tea", values: ["a"]), MetaArray(key: "milk")]

  private func applied(
    _ change: MetaArrayChange, mayCreateKeys: Bool = false
  ) -> Result<[MetaArray], ServiceError> {
    do throws(ServiceError) {
      return .success(
        try change.applied(
          to: known, within: MetaArrayLimits(), mayCreateKeys: mayCreateKeys))
    } catch { return .failure(error) }
  }

  @Test("keys are added empty and removed with their values")
  func keys() throws {
    #expect(try applied(.createKeys(["tea", "rum"])).get().map(\.key) == ["tea", "milk", "rum"])
    #expect(try applied(.deleteKeys(["tea", "rum"])).get() == [MetaArray(key: "milk")])
  }

  @Test("values are ordered sets")
  func values() throws {
    let more = [MetaArray(key: "tea", values: ["b", "a"])]
    #expect(try applied(.addValues(more)).get()[0].values == ["a", "b"])
    #expect(try applied(.removeValues(more)).get()[0].values == [])
    #expect(try applied(.addValuesToKnownKeys(more)).get()[0].values == ["a", "b"])
  }

  @Test("missing keys are created, refused, or refused only to callers without the right")
  func missing() throws {
    let rum = [MetaArray(key: "rum", values: ["x"])]
    #expect(try applied(.addValues(rum), mayCreateKeys: true).get().count == 3)
    #expect(applied(.addValues(rum)) == .failure(.unknownMetaArrayKey("rum")))
    #expect(try applied(.removeValues(rum)).get() == known)
    for change in [
      MetaArrayChange.addValuesToKnownKeys(rum), .removeValuesFromKnownKeys(rum),
    ] {
      guard case .failure(let error) = applied(change, mayCreateKeys: true) else {
        return #expect(Bool(false))
      }
      #expect(error.data.field == "sorted_metaarray")
    }
  }

  @Test("the order of new values decides which missing key the error names")
  func named() {
    let values = [MetaArray(key: "tea"), MetaArray(key: "rum"), MetaArray(key: "gin")]
    #expect(applied(.addValues(values)) == .failure(.unknownMetaArrayKey("rum")))
  }
}
