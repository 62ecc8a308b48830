export const resultRoutes = []
