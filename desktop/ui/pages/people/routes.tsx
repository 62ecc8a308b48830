export const peopleRoutes = []
