import Testing

@testable import Gateway

@Suite("Places of lost connections")
struct LostPlacesTests {
  @Test("a place counts until its end, or until the user leaves")
  func ends() {
    var places = LostPlaces()
    places.add("lobby", of: "ada", at: 0, until: 60)
    places.add("lounge", of: "ada", at: 10, until: 70)
    #expect(places.contains("lobby", of: "ada", at: 59))
    #expect(!places.contains("lobby", of: "ada", at: 60))
    #expect(!places.contains("lobby", of: "bob", at: 1))
    places.remove("lounge", of: "ada")
    #expect(!places.contains("lounge", of: "ada", at: 11))
  }

  @Test("a second loss prolongs a place, and the end of the first does not end it")
  func prolonged() {
    var places = LostPlaces()
    places.add("lobby", of: "ada", at: 0, until: 60)
    places.add("lobby", of: "ada", at: 50, until: 110)
    for number in 0..<200 { places.add("c\(number)", of: "bob", at: 61, until: 121) }
    #expect(places.contains("lobby", of: "ada", at: 100))
    #expect(!places.contains("lobby", of: "ada", at: 110))
  }
}
